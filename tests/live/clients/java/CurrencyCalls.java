import com.fasterxml.jackson.databind.MapperFeature;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
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

        Currency created = api.createCurrency(db, element, null, null, null);
        check(created.getDescriptions().get("en").equals("A currency"), "created");
        check(created.getReferenceCurrency().getCoefficient().getActualInstance().equals("1.0000"), "a text");
        try {
            api.createCurrency(db, element, null, null, null);
            check(false, "not refused");
        } catch (ApiException refused) {
            check(refused.getCode() == 400, "refused");
        }
        check(api.getCurrency(db, id, null, null).getDecimalNumbers() == 2, "read");
        CurrencyReplace replacement = new CurrencyReplace().description("Replaced").decimalNumbers(3)
            .percentageDifference("0");
        Currency replaced = api.replaceCurrency(db, id, replacement, null, null, null, null);
        check(replaced.getReferenceCurrency().getCoefficient() == null, "null");
        CurrencyPatch change = new CurrencyPatch().descriptions(Map.of("en", "Another name")).referenceCurrency(
            new ReferenceCurrencyRequest().coefficient(new ReferenceCurrencyCoefficient(true)));
        Currency patched = api.patchCurrency(db, id, change, null, null, null, null);
        check(patched.getReferenceCurrency().getCoefficient().getActualInstance().equals(true), "a boolean");
        check(api.listCurrencies(db, filter, null, "-id", null, 1L, null, null).size() == 1, "listed");
        check(api.countCurrencies(db, filter, null, null, null, null, null) == 1, "counted");
        List<CurrencySelection> fetched = api.fetchCurrencies(db, "id,descriptions", filter, null, null, null, null, null, null);
        check(fetched.get(0).getDescriptions().equals("Another name"), "fetched");
        BulkResult saved = api.saveCurrencies(db, new CurrencyBulk().put(List.of(element)), true, null, null, null);
        check(saved.getCode() == BulkResult.CodeEnum.SUCCESS, "saved");
        DeletionStart started = api.deleteCurrencies(db, List.of(new DeletionItem().id(id)), null, null, null);
        check(api.listCurrencyDeletions(db, null, null, null).stream()
            .anyMatch(each -> each.getDataProcessingId().equals(started.getDataProcessingId())), "deletions");
        DeletionStatus status = api.getCurrencyDeletion(db, started.getDataProcessingId(), null);
        check(status.getParameters().getRequested() == 1, "status");
        DeletionAbort aborted = api.abortCurrencyDeletion(db, started.getDataProcessingId(), null);
        check(aborted.getMessage().contains(started.getDataProcessingId().toString()), "aborted");
        String later = client.getObjectMapper().writeValueAsString(patched).replaceFirst("\\{", "{\"later\":{\"a\":1},");
        check(client.getObjectMapper().readValue(later, Currency.class).getId().equals(id), "a new member is no error");
        System.out.println("Every operation was answered.");
    }

    private static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }
}
