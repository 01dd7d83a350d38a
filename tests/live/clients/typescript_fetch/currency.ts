// Every operation of the client that OpenAPI Generator makes for typescript-fetch, with bodies of its types.
import { Configuration, CurrencyApi, CurrencyFromJSON, ResponseError } from "./client";
import type { CurrencyCreate, CurrencyPlanRequest } from "./client";

declare const process: { argv: string[] };

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

async function main(key: string): Promise<void> {
  const api = new CurrencyApi(new Configuration({ apiKey: key }));
  const dbID = "northwind";
  const id = "TSF";
  const element: CurrencyCreate = {
    id,
    descriptions: { en: "A currency", de: null },
    decimalNumbers: 2,
    percentageDifference: "0.0500",
    referenceCurrency: { id: "EUR", coefficient: "1.0000" },
  };

  const created = await api.createCurrency({ dbID, currencyCreate: element });
  check(created.id === id && created.descriptions["en"] === "A currency", "created");
  check(created.referenceCurrency.coefficient === "1.0000", "the coefficient is a text");
  const again = await api.createCurrency({ dbID, currencyCreate: element }).catch((error: unknown) => error);
  check(again instanceof ResponseError && again.response.status === 400, "refused");
  check((await api.getCurrency({ dbID, id })).decimalNumbers === 2, "read");
  const { id: _, ...replacement } = element;
  const unset = { ...replacement, referenceCurrency: { id: "EUR", coefficient: null } };
  const replaced = await api.replaceCurrency({ dbID, id, currencyReplace: unset });
  check(replaced.referenceCurrency.coefficient === null, "replaced");
  const currencyPatch = { descriptions: { en: "Another name" }, referenceCurrency: { coefficient: true } };
  const patched = await api.patchCurrency({ dbID, id, currencyPatch });
  check(patched.descriptions["en"] === "Another name", "patched");
  check(patched.referenceCurrency.coefficient === true, "the coefficient is a boolean");
  const filter = `id==${id}`;
  check((await api.listCurrencies({ dbID, filter, sort: "-id", unused: true, take: 1 })).length === 1, "listed");
  check((await api.countCurrencies({ dbID, filter })) === 1, "counted");
  const fetched = await api.fetchCurrencies({ dbID, filter, properties: "id,descriptions,referenceCurrency" });
  check(fetched[0]?.id === id && fetched[0].descriptions === "Another name", "fetched");
  const saved = await api.saveCurrencies({ dbID, currencyBulk: { put: [element], patch: [] }, dryRun: true });
  check(saved.code === "SUCCESS", "saved");
  await api.saveCurrencies({ dbID, currencyBulk: { merge: [{ id, descriptions: { en: "Merged" } }] } });
  check((await api.getCurrency({ dbID, id })).descriptions["en"] === "Merged", "merged");
  check((await api.listRepositories()).some((each) => each.dbID === dbID), "repositories");
  check((await api.listCurrencyChanges({ dbID, filter }))[0]?.element?.id === id, "changes");
  const [latest] = await api.listCurrencyChangeSets({ dbID, take: 1 });
  check(latest?.user === "alice" && latest.committedAt.getTime() <= Date.now(), "change sets");
  check((await api.listCurrencyVersions({ dbID, id, take: 1 }))[0]?.id === id, "versions");
  const compared = await api.compareCurrencies({ dbID, filter, fromRepository: "southwind" });
  check(compared[0]?.action === "created", "compared");
  check((await api.listCurrencyUses({ dbID, id: [id] }))[0]?.count === 0, "uses");
  const list = await api.listCurrenciesRaw({ dbID, filter });
  const asOf = list.raw.headers.get("Sync-Token") ?? "";
  const sources: CurrencyPlanRequest[] = [
    { bulk: { merge: [{ id }], _delete: [{ id: "nothing" }] } },
    { repository: "southwind" },
    { asOf },
    { undo: latest.id },
  ];
  for (const one of sources) {
    const currencyPlanRequest = { ...one, scope: filter, maxDelete: "100%" };
    const plan = await api.planCurrencies({ dbID, currencyPlanRequest });
    check(plan.source.snapshot === undefined && plan.createdAt < plan.expiresAt, "planned from a source");
    await api.deleteCurrencyPlan({ dbID, planId: plan.planId });
  }
  const without = await api.planCurrencies({ dbID, currencyPlanRequest: { scope: filter } }).catch((error: unknown) => error);
  check(without instanceof ResponseError && without.response.status === 400, "no source");
  const snapshot = { snapshot: [element], scope: filter, maxDelete: "0" };
  const made = await api.planCurrenciesRaw({ dbID, currencyPlanRequest: snapshot });
  const { planId, changed, source } = await made.value();
  check(changed === 1 && source.snapshot === 1, "planned");
  check((await api.listCurrencyPlans({ dbID })).some((each) => each.planId === planId), "plans");
  check((await api.getCurrencyPlan({ dbID, planId })).status === "READY", "plan");
  check((await api.listCurrencyPlanChanges({ dbID, planId, action: "changed" }))[0]?.id === id, "changes of the plan");
  const ifMatch = made.raw.headers.get("ETag") ?? "";
  const currencyPlanApprovalRequest = { text: "As agreed" };
  const approved = await api.approveCurrencyPlan({ dbID, planId, ifMatch, currencyPlanApprovalRequest }).catch((error: unknown) => error);
  check(approved instanceof ResponseError && approved.response.status === 403, "a key does not approve");
  const currencyPlanRejectionRequest = { text: "Not needed" };
  const rejected = await api.rejectCurrencyPlan({ dbID, planId, ifMatch, currencyPlanRejectionRequest }).catch((error: unknown) => error);
  check(rejected instanceof ResponseError && rejected.response.status === 403, "a key does not reject");
  check((await api.applyCurrencyPlan({ dbID, planId, ifMatch })).status === "APPLIED", "applied");
  await api.deleteCurrencyPlan({ dbID, planId });
  const started = await api.deleteCurrencies({ dbID, deletionItem: [{ id }], references: "refuse" });
  const listed = await api.listCurrencyDeletions({ dbID });
  check(listed.some((each) => each.dataProcessingId === started.dataProcessingId), "listed deletions");
  const status = await api.getCurrencyDeletion({ dbID, dataProcessingId: started.dataProcessingId });
  check(status.parameters.requested === 1, "status");
  const aborted = await api.abortCurrencyDeletion({ dbID, dataProcessingId: started.dataProcessingId });
  check(aborted.message.includes(started.dataProcessingId), "aborted");
  check(CurrencyFromJSON({ ...patched, ofALaterRelease: { a: 1 } }).id === id, "a new member is no error");

  // What the types refuse; where one of these compiles, a type has become `any`.
  // @ts-expect-error
  const withoutDecimals: CurrencyCreate = { id, percentageDifference: "0" };
  // @ts-expect-error
  const withNumbers: CurrencyCreate = { ...element, descriptions: { en: 5 } };
  // @ts-expect-error
  const withUnknown: CurrencyCreate = { ...element, colour: "green" };
  // @ts-expect-error
  const withObject: CurrencyCreate = { ...element, referenceCurrency: { id: "EUR", coefficient: {} } };
  void [withoutDecimals, withNumbers, withUnknown, withObject];
}

main(process.argv[2] ?? "").then(() => console.log("Every operation was answered."));
