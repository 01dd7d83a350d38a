import com.fasterxml.jackson.databind.MapperFeature;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.CurrencyApi;
import org.openapitools.client.model.*;

/** Every operation of the Java client, with bodies of its types. */
class CurrencyCalls {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        client.setRequestInterceptor(request -> request.header("X-API-Key", arguments[1]));
        // Else this library, unlike the default one, takes a boolean for a text as well, and cannot choose.
        client.setObjectMapper(client.getObjectMapper().configure(MapperFeature.ALLOW_COERCION_OF_SCALARS, false));
        CurrencyApi api = new CurrencyApi(client);
        String db = "northwind", id = "JVA", filter = "id==" + id;
        CurrencyCreate element = new CurrencyCreate().id(id).descriptions(Map.of("en", "A currency"))
            .decimalNumbers(2).percentageDifference("0.0500")
            .referenceCurrency(new ReferenceCurrencyRequest().id("EUR")
                .coefficient(new ReferenceCurrencyCoefficient("1.0000")));

        Currency created = api.createCurrency(db, element, null, null);
        check(created.getDescriptions().get("en").equals("A currency"), "created");
        check(created.getReferenceCurrency().getCoefficient().getActualInstance().equals("1.0000"), "a text");
        try {
            api.createCurrency(db, element, null, null);
            check(false, "not refused");
        } catch (ApiException refused) {
            check(refused.getCode() == 400, "refused");
        }
        check(api.getCurrency(db, id, null).getDecimalNumbers() == 2, "read");
        CurrencyReplace replacement = new CurrencyReplace().description("Replaced").decimalNumbers(3)
            .percentageDifference("0");
        Currency replaced = api.replaceCurrency(db, id, replacement, null, null, null);
        check(replaced.getReferenceCurrency().getCoefficient() == null, "null");
        CurrencyPatch change = new CurrencyPatch().descriptions(Map.of("en", "Another name")).referenceCurrency(
            new ReferenceCurrencyRequest().coefficient(new ReferenceCurrencyCoefficient(true)));
        Currency patched = api.patchCurrency(db, id, change, null, null, null);
        check(patched.getReferenceCurrency().getCoefficient().getActualInstance().equals(true), "a boolean");
        check(api.listCurrencies(db, filter, null, "-id", true, null, 1L, null).size() == 1, "listed");
        check(api.countCurrencies(db, filter, null, null, null, null, null) == 1, "counted");
        List<CurrencySelection> fetched = api.fetchCurrencies(db, "id,descriptions", filter, null, null, null, null, null, null);
        check(fetched.get(0).getDescriptions().equals("Another name"), "fetched");
        BulkResult saved = api.saveCurrencies(db, new CurrencyBulk().put(List.of(element)), true, null, null, null, null, null);
        check(saved.getCode() == BulkResult.CodeEnum.SUCCESS, "saved");
        CurrencyMerge merged = new CurrencyMerge().id(id).descriptions(Map.of("en", "Merged"));
        api.saveCurrencies(db, new CurrencyBulk().merge(List.of(merged)), null, null, null, null, null, null);
        check(api.getCurrency(db, id, null).getDescriptions().get("en").equals("Merged"), "merged");
        check(api.listRepositories().stream().anyMatch(each -> each.getDbID().equals(db)), "repositories");
        check(api.listCurrencyChanges(db, filter, null).get(0).getElement().getId().equals(id), "changes");
        ChangeSet latest = api.listCurrencyChangeSets(db, null, null, 1L, null, null).get(0);
        check(latest.getUser().equals("alice") && latest.getCommittedAt().isBefore(OffsetDateTime.now()), "change sets");
        check(api.listCurrencyVersions(db, null, 1L, null, id, null, null).get(0).getId().equals(id), "versions");
        check(api.compareCurrencies(db, filter, null, null, "southwind", null).get(0).getAction() == Action.CREATED, "compared");
        check(api.listCurrencyUses(db, List.of(id)).get(0).getCount() == 0, "uses");
        String token = api.listCurrenciesWithHttpInfo(db, filter, null, null, null, null, null, null).getHeaders().get("sync-token").get(0);
        CurrencyPlanBulk bulk = new CurrencyPlanBulk().merge(List.of(new CurrencyMerge().id(id))).delete(List.of(new DeletionItem().id("nothing")));
        for (CurrencyPlanRequest source : List.of(
                new CurrencyPlanRequest().bulk(bulk), new CurrencyPlanRequest().repository("southwind"),
                new CurrencyPlanRequest().asOf(token), new CurrencyPlanRequest().undo(latest.getId().toString()))) {
            CurrencyPlan plan = api.planCurrencies(db, source.scope(filter).maxDelete("100%"), null, null, null, null, null, null, null, null);
            check(plan.getSource().getSnapshot() == null, "planned from a source");
            api.deleteCurrencyPlan(db, plan.getPlanId(), null);
        }
        try {
            api.planCurrencies(db, new CurrencyPlanRequest().scope(filter).maxDelete("100%"), null, null, null, null, null, null, null, null);
            check(false, "a plan without a source");
        } catch (ApiException refused) {
            check(refused.getCode() == 400 && refused.getResponseBody().contains("ONE_SOURCE"), "no source");
        }
        CurrencyPlanRequest snapshot = new CurrencyPlanRequest().scope(filter).maxDelete("0")
            .snapshot(List.of(new CurrencyMerge().id(id).descriptions(Map.of("en", "Planned"))));
        ApiResponse<CurrencyPlan> made = api.planCurrenciesWithHttpInfo(db, snapshot, null, null, null, null, null, null, null, null);
        UUID plan = made.getData().getPlanId();
        check(made.getData().getChanged() == 1 && made.getData().getSource().getSnapshot() == 1, "planned");
        check(api.listCurrencyPlans(db, null, null, null, null).stream().anyMatch(each -> each.getPlanId().equals(plan)), "plans");
        check(api.getCurrencyPlan(db, plan).getStatus() == PlanStatus.READY, "plan");
        check(api.listCurrencyPlanChanges(db, plan, null, 1L, Action.CHANGED, null).get(0).getId().equals(id), "plan's changes");
        String etag = made.getHeaders().get("etag").get(0);
        try {
            api.approveCurrencyPlan(db, plan, etag, new CurrencyPlanApprovalRequest().text("As agreed"), null, null);
            check(false, "a key that approves");
        } catch (ApiException refused) {
            check(refused.getCode() == 403 && refused.getResponseBody().contains("NOT_A_PERSON"), "approval");
        }
        try {
            api.rejectCurrencyPlan(db, plan, etag, new CurrencyPlanRejectionRequest().text("Not needed"), null, null);
            check(false, "a key that rejects");
        } catch (ApiException refused) {
            check(refused.getCode() == 403 && refused.getResponseBody().contains("NOT_A_PERSON"), "rejection");
        }
        check(api.applyCurrencyPlan(db, plan, etag, null, null).getStatus() == PlanStatus.APPLIED, "applied");
        api.deleteCurrencyPlan(db, plan, null);
        DeletionStart started = api.deleteCurrencies(db, List.of(new DeletionItem().id(id)), "refuse", null, null);
        check(api.listCurrencyDeletions(db, null, null, null).stream()
            .anyMatch(each -> each.getDataProcessingId().equals(started.getDataProcessingId())), "deletions");
        CurrencyDeletionStatus status = api.getCurrencyDeletion(db, started.getDataProcessingId());
        check(status.getParameters().getRequested() == 1, "status");
        DeletionAbort aborted = api.abortCurrencyDeletion(db, started.getDataProcessingId());
        check(aborted.getMessage().contains(started.getDataProcessingId().toString()), "aborted");
        String later = client.getObjectMapper().writeValueAsString(patched).replaceFirst("\\{", "{\"later\":{\"a\":1},");
        check(client.getObjectMapper().readValue(later, Currency.class).getId().equals(id), "a new member is no error");
        System.out.println("Every operation was answered.");
    }

    private static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }
}
