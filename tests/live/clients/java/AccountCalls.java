import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
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
            .nature(AccountCreate.NatureEnum.BALANCE_SHEET).type(AccountCreate.TypeEnum.NORMAL)
            .conversion(new ConversionRequest().conversionType(ConversionRequest.ConversionTypeEnum.FINAL))
            .dataEntryAndReporting(new DataEntryAndReportingRequest()
                .propertyClass(DataEntryAndReportingRequest.PropertyClassEnum.INCREASE_IN_LIABILITIES)
                .validity(new ValidityRequest().startDate("2026-01-01")))
            .rules(new RulesRequest().accrual(new AccrualRequest().debitAccrual(new ReferenceRequest().id("1900"))))
            .cashFlowPlanning(null);

        Account created = api.createAccount(db, element, null, null, null);
        check(created.getDescriptions().get("en").equals("Cash"), "created");
        check(created.getDataEntryAndReporting().getPropertyClass().getValue().equals("INCREASE IN LIABILITIES"), "class");
        check(created.getCashFlowPlanning() == null, "null");
        check(created.getRules().getAccrual().getDebitAccrual().getId().equals("1900"), "accrual");
        try {
            api.createAccount(db, element, null, null, null);
            check(false, "not refused");
        } catch (ApiException refused) {
            check(refused.getCode() == 400, "refused");
        }
        check(api.getAccount(db, id, null, null).getType() == Account.TypeEnum.NORMAL, "read");
        AccountReplace replacement = new AccountReplace().descriptions(Map.of("en", "Replaced"))
            .nature(AccountReplace.NatureEnum.BALANCE_SHEET).type(AccountReplace.TypeEnum.DETAIL)
            .conversion(new ConversionRequest().conversionType(ConversionRequest.ConversionTypeEnum.FINAL));
        check(api.replaceAccount(db, id, replacement, null, null, null, null).getType() == Account.TypeEnum.DETAIL, "replaced");
        AccountPatch change = new AccountPatch().descriptions(Map.of("en", "Another name"))
            .conversion(new ConversionPatch().conversionType(ConversionPatch.ConversionTypeEnum.AVERAGE));
        Account patched = api.patchAccount(db, id, change, null, null, null, null);
        check(patched.getConversion().getConversionType() == Conversion.ConversionTypeEnum.AVERAGE, "patched");
        check(api.listAccounts(db, filter, null, "-id", null, 1L, null, null).size() == 1, "listed");
        check(api.countAccounts(db, filter, null, null, null, null, null) == 1, "counted");
        List<AccountSelection> fetched = api.fetchAccounts(db, "id,descriptions", filter, null, null, null, null, null, null);
        check(fetched.get(0).getDescriptions().equals("Another name"), "fetched");
        List<Account> saved = api.saveAccounts(db, new AccountBulk().put(List.of(element)), true, null, null, null);
        check(saved.get(0).getId().equals(id), "saved");
        DeletionStart started = api.deleteAccounts(db, List.of(new DeletionItem().id(id)), null, null, null);
        check(api.listAccountDeletions(db, null, null, null).stream()
            .anyMatch(each -> each.getDataProcessingId().equals(started.getDataProcessingId())), "deletions");
        List<DeletionStatus> status = api.getAccountDeletion(db, started.getDataProcessingId(), null);
        check(status.get(0).getParameters().get(0).getRequested() == 1, "status");
        DeletionAbort aborted = api.abortAccountDeletion(db, started.getDataProcessingId(), null);
        check(aborted.getMessage().contains(started.getDataProcessingId().toString()), "aborted");
        String later = client.getObjectMapper().writeValueAsString(patched).replaceFirst("\\{", "{\"later\":{\"a\":1},");
        check(client.getObjectMapper().readValue(later, Account.class).getId().equals(id), "a new member is no error");
        System.out.println("Every operation was answered.");
    }

    private static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }
}
