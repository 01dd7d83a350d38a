import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.model.*;

/** Every operation of the Java client, with bodies of its types. */
class AccountCalls {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        client.setRequestInterceptor(request -> request.header("X-API-Key", arguments[1]));
        AccountApi api = new AccountApi(client);
        String db = "northwind", id = "JVA", filter = "id==" + id;
        AccountCreate element = new AccountCreate().id(id).descriptions(Map.of("en", "Cash"))
            .nature(Nature.BALANCE_SHEET).type(AccountType.NORMAL)
            .conversion(new ConversionRequest().conversionType(ConversionType.FINAL))
            .dataEntryAndReporting(new DataEntryAndReportingRequest()
                .propertyClass(AccountClass.INCREASE_IN_LIABILITIES)
                .validity(new ValidityRequest().startDate("2026-01-01")))
            .rules(new RulesRequest().accrual(new AccrualRequest().debitAccrual(new ReferenceRequest().id("1900"))))
            .cashFlowPlanning(null);

        Account created = api.createAccount(db, element, null, null);
        check(created.getDescriptions().get("en").equals("Cash"), "created");
        check(created.getDataEntryAndReporting().getPropertyClass().getValue().equals("INCREASE IN LIABILITIES"), "class");
        check(created.getCashFlowPlanning() == null, "null");
        check(created.getRules().getAccrual().getDebitAccrual().getId().equals("1900"), "accrual");
        try {
            api.createAccount(db, element, null, null);
            check(false, "not refused");
        } catch (ApiException refused) {
            check(refused.getCode() == 400, "refused");
        }
        check(api.getAccount(db, id, null).getType() == AccountType.NORMAL, "read");
        AccountReplace replacement = new AccountReplace().descriptions(Map.of("en", "Replaced"))
            .nature(Nature.BALANCE_SHEET).type(AccountType.DETAIL)
            .conversion(new ConversionRequest().conversionType(ConversionType.FINAL));
        check(api.replaceAccount(db, id, replacement, null, null, null).getType() == AccountType.DETAIL, "replaced");
        AccountPatch change = new AccountPatch().descriptions(Map.of("en", "Another name"))
            .conversion(new ConversionPatch().conversionType(ConversionType.AVERAGE));
        Account patched = api.patchAccount(db, id, change, null, null, null);
        check(patched.getConversion().getConversionType() == ConversionType.AVERAGE, "patched");
        check(api.listAccounts(db, filter, null, "-id", true, null, 1L, null).size() == 1, "listed");
        check(api.countAccounts(db, filter, null, null, null, null, null) == 1, "counted");
        List<AccountSelection> fetched = api.fetchAccounts(db, "id,descriptions", filter, null, null, null, null, null, null);
        check(fetched.get(0).getDescriptions().equals("Another name"), "fetched");
        List<Account> saved = api.saveAccounts(db, new AccountBulk().put(List.of(element)), true, null, null, null, null, null);
        check(saved.get(0).getId().equals(id), "saved");
        AccountMerge merged = new AccountMerge().id(id).descriptions(Map.of("en", "Merged"));
        api.saveAccounts(db, new AccountBulk().merge(List.of(merged)), null, null, null, null, null, null);
        check(api.getAccount(db, id, null).getDescriptions().get("en").equals("Merged"), "merged");
        check(api.listAccountChanges(db, filter, null).get(0).getElement().getId().equals(id), "changes");
        ChangeSet latest = api.listAccountChangeSets(db, null, null, 1L, null, null).get(0);
        check(latest.getUser().equals("alice") && latest.getCommittedAt().isBefore(OffsetDateTime.now()), "change sets");
        check(api.listAccountVersions(db, null, 1L, null, id, null, null).get(0).getId().equals(id), "versions");
        check(api.compareAccounts(db, filter, null, null, "southwind", null).get(0).getAction() == Action.CREATED, "compared");
        check(api.listAccountUses(db, List.of(id)).get(0).getCount() == 0, "uses");
        BulkResult minimal = api.saveAccountsMinimal(db, new AccountBulk().merge(List.of(new AccountMerge().id(id))), null, null, null, null, null, null);
        check(minimal.getCode() == BulkResult.CodeEnum.SUCCESS, "minimal");
        // What was read is sent back as it is.
        AccountPatch same = new AccountPatch().nature(created.getNature()).type(created.getType()).conversion(
            new ConversionPatch().conversionType(created.getConversion().getConversionType()));
        api.patchAccount(db, id, same, null, null, null);
        String token = api.listAccountsWithHttpInfo(db, filter, null, null, null, null, null, null).getHeaders().get("sync-token").get(0);
        AccountPlanBulk bulk = new AccountPlanBulk().merge(List.of(new AccountMerge().id(id))).delete(List.of(new DeletionItem().id("nothing")));
        for (AccountPlanRequest source : List.of(
                new AccountPlanRequest().bulk(bulk), new AccountPlanRequest().repository("southwind"),
                new AccountPlanRequest().asOf(token), new AccountPlanRequest().undo(latest.getId().toString()))) {
            AccountPlan plan = api.planAccounts(db, source.scope(filter).maxDelete("100%"), null, null, null, null, null, null, null, null);
            check(plan.getSource().getSnapshot() == null, "planned from a source");
            api.deleteAccountPlan(db, plan.getPlanId(), null);
        }
        try {
            api.planAccounts(db, new AccountPlanRequest().scope(filter).maxDelete("100%"), null, null, null, null, null, null, null, null);
            check(false, "a plan without a source");
        } catch (ApiException refused) {
            check(refused.getCode() == 400 && refused.getResponseBody().contains("ONE_SOURCE"), "no source");
        }
        AccountPlanRequest snapshot = new AccountPlanRequest().scope(filter).maxDelete("0")
            .snapshot(List.of(new AccountMerge().id(id).descriptions(Map.of("en", "Planned"))));
        ApiResponse<AccountPlan> made = api.planAccountsWithHttpInfo(db, snapshot, null, null, null, null, null, null, null, null);
        UUID plan = made.getData().getPlanId();
        check(made.getData().getChanged() == 1 && made.getData().getSource().getSnapshot() == 1, "planned");
        check(api.listAccountPlans(db, null, null, null, null).stream().anyMatch(each -> each.getPlanId().equals(plan)), "plans");
        check(api.getAccountPlan(db, plan).getStatus() == PlanStatus.READY, "plan");
        check(api.listAccountPlanChanges(db, plan, null, 1L, Action.CHANGED, null).get(0).getId().equals(id), "plan's changes");
        String etag = made.getHeaders().get("etag").get(0);
        try {
            api.approveAccountPlan(db, plan, etag, new AccountPlanApprovalRequest().text("As agreed"), null, null);
            check(false, "a key that approves");
        } catch (ApiException refused) {
            check(refused.getCode() == 403 && refused.getResponseBody().contains("NOT_A_PERSON"), "approval");
        }
        try {
            api.rejectAccountPlan(db, plan, etag, new AccountPlanRejectionRequest().text("Not needed"), null, null);
            check(false, "a key that rejects");
        } catch (ApiException refused) {
            check(refused.getCode() == 403 && refused.getResponseBody().contains("NOT_A_PERSON"), "rejection");
        }
        check(api.applyAccountPlan(db, plan, etag, null, null).getStatus() == PlanStatus.APPLIED, "applied");
        api.deleteAccountPlan(db, plan, null);
        DeletionStart started = api.deleteAccounts(db, List.of(new DeletionItem().id(id)), "refuse", null, null);
        check(api.listAccountDeletions(db, null, null, null).stream()
            .anyMatch(each -> each.getDataProcessingId().equals(started.getDataProcessingId())), "deletions");
        List<AccountDeletionStatus> status = api.getAccountDeletion(db, started.getDataProcessingId());
        check(status.get(0).getParameters().get(0).getRequested() == 1, "status");
        DeletionAbort aborted = api.abortAccountDeletion(db, started.getDataProcessingId());
        check(aborted.getMessage().contains(started.getDataProcessingId().toString()), "aborted");
        String later = client.getObjectMapper().writeValueAsString(patched).replaceFirst("\\{", "{\"later\":{\"a\":1},");
        check(client.getObjectMapper().readValue(later, Account.class).getId().equals(id), "a new member is no error");
        System.out.println("Every operation was answered.");
    }

    private static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }
}
