// Every operation of the client that OpenAPI Generator makes for typescript-fetch, with bodies of its types.
import { AccountApi, AccountFromJSON, Configuration, ResponseError } from "./client";
import type { AccountCreate } from "./client";

declare const process: { argv: string[] };

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

async function main(key: string): Promise<void> {
  const api = new AccountApi(new Configuration({ apiKey: key }));
  const dbID = "northwind";
  const id = "TSF/1";
  const element: AccountCreate = {
    id,
    descriptions: { en: "Cash", it: null },
    customAttributes: { owner: "treasury" },
    nature: "BALANCE_SHEET",
    type: "NORMAL",
    conversion: { conversionType: "FINAL" },
    restrictions: { customDimension1: { dimensionName: "COST_CENTRE", restriction: "RESTRICTED" } },
    dataEntryAndReporting: { _class: "INCREASE IN LIABILITIES", validity: { startDate: "2026-01-01", endDate: null } },
    rules: { accrual: { debitAccrual: { id: "1900" } }, validationChecks: { standardSignCheck: "DEBIT" } },
    consolidation: { bankingData: { bankitReportingMItem: { id: "M10", changeSign: false } } },
    cashFlowPlanning: null,
  };

  const created = await api.createAccount({ dbID, accountCreate: element });
  check(created.id === id && created.descriptions["en"] === "Cash", "created");
  check(created.dataEntryAndReporting._class === "INCREASE IN LIABILITIES", "class");
  check(created.cashFlowPlanning === null && created.restrictions.ctpRestriction === null, "unset groups are null");
  const again = await api.createAccount({ dbID, accountCreate: element }).catch((error: unknown) => error);
  check(again instanceof ResponseError && again.response.status === 400, "refused");
  check((await api.getAccount({ dbID, id })).conversion.conversionType === "FINAL", "read");
  const { id: _, ...replacement } = element;
  check((await api.replaceAccount({ dbID, id, accountReplace: replacement })).type === "NORMAL", "replaced");
  const accountPatch = { descriptions: { en: "Another name" }, conversion: { conversionType: "AVERAGE" as const } };
  const patched = await api.patchAccount({ dbID, id, accountPatch });
  check(patched.descriptions["en"] === "Another name" && patched.conversion.conversionType === "AVERAGE", "patched");
  const filter = `id=="${id}"`;
  check((await api.listAccounts({ dbID, filter, sort: "-id", take: 1 })).length === 1, "listed");
  check((await api.countAccounts({ dbID, filter })) === 1, "counted");
  const fetched = await api.fetchAccounts({ dbID, filter, properties: "id,descriptions,conversion" });
  check(fetched[0]?.id === id && fetched[0].descriptions === "Another name", "fetched");
  const saved = await api.saveAccounts({ dbID, accountBulk: { put: [element] }, dryRun: true });
  check(saved.length === 1 && saved[0]?.id === id, "saved");
  const started = await api.deleteAccounts({ dbID, deletionItem: [{ id }] });
  const listed = await api.listAccountDeletions({ dbID });
  check(listed.some((each) => each.dataProcessingId === started.dataProcessingId), "listed deletions");
  const status = await api.getAccountDeletion({ dbID, dataProcessingId: started.dataProcessingId });
  check(status[0]?.parameters[0]?.requested === 1, "status");
  const aborted = await api.abortAccountDeletion({ dbID, dataProcessingId: started.dataProcessingId });
  check(aborted.message.includes(started.dataProcessingId), "aborted");
  const later = AccountFromJSON({ ...saved[0], conversion: { conversionType: "FINAL", ofALaterRelease: 1 } });
  check(later.conversion.conversionType === "FINAL", "a new member is no error");

  // What the types refuse; where one of these compiles, a type has become `any`.
  // @ts-expect-error
  const withoutNature: AccountCreate = { id, descriptions: {}, type: "NORMAL", conversion: element.conversion };
  // @ts-expect-error
  const withUnlisted: AccountCreate = { ...element, nature: "UNLISTED" };
  // @ts-expect-error
  const withText: AccountCreate = { ...element, conversion: "FINAL" };
  void [withoutNature, withUnlisted, withText];
}

main(process.argv[2] ?? "").then(() => console.log("Every operation was answered."));
