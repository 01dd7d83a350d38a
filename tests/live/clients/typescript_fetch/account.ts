// Every operation of the client that OpenAPI Generator makes for typescript-fetch, with bodies of its types.
import { AccountApi, AccountFromJSON, Configuration, ResponseError } from "./client";
import type { AccountCreate, AccountPlanRequest } from "./client";

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
  check((await api.listAccounts({ dbID, filter, sort: "-id", unused: true, take: 1 })).length === 1, "listed");
  check((await api.countAccounts({ dbID, filter })) === 1, "counted");
  const fetched = await api.fetchAccounts({ dbID, filter, properties: "id,descriptions,conversion" });
  check(fetched[0]?.id === id && fetched[0].descriptions === "Another name", "fetched");
  const saved = await api.saveAccounts({ dbID, accountBulk: { put: [element] }, dryRun: true });
  check(saved.length === 1 && saved[0]?.id === id, "saved");
  await api.saveAccounts({ dbID, accountBulk: { merge: [{ id, descriptions: { en: "Merged" } }] } });
  check((await api.getAccount({ dbID, id })).descriptions["en"] === "Merged", "merged");
  check((await api.listAccountChanges({ dbID, filter }))[0]?.element?.id === id, "changes");
  const [latest] = await api.listAccountChangeSets({ dbID, take: 1 });
  check(latest?.user === "alice" && latest.committedAt.getTime() <= Date.now(), "change sets");
  check((await api.listAccountVersions({ dbID, id, take: 1 }))[0]?.id === id, "versions");
  const compared = await api.compareAccounts({ dbID, filter, fromRepository: "southwind" });
  check(compared[0]?.action === "created", "compared");
  check((await api.listAccountUses({ dbID, id: [id] }))[0]?.count === 0, "uses");
  check((await api.saveAccountsMinimal({ dbID, accountBulk: { merge: [{ id }] } })).code === "SUCCESS", "minimal");
  const { nature, type } = created;
  await api.patchAccount({ dbID, id, accountPatch: { nature, type, conversion: { ...created.conversion } } });
  const list = await api.listAccountsRaw({ dbID, filter });
  const asOf = list.raw.headers.get("Sync-Token") ?? "";
  const sources: AccountPlanRequest[] = [
    { bulk: { merge: [{ id }], _delete: [{ id: "nothing" }] } },
    { repository: "southwind" },
    { asOf },
    { undo: latest.id },
  ];
  for (const one of sources) {
    const accountPlanRequest = { ...one, scope: filter, maxDelete: "100%" };
    const plan = await api.planAccounts({ dbID, accountPlanRequest });
    check(plan.source.snapshot === undefined && plan.createdAt < plan.expiresAt, "planned from a source");
    await api.deleteAccountPlan({ dbID, planId: plan.planId });
  }
  const without = await api.planAccounts({ dbID, accountPlanRequest: { scope: filter } }).catch((error: unknown) => error);
  check(without instanceof ResponseError && without.response.status === 400, "no source");
  const snapshot = { snapshot: [element], scope: filter, maxDelete: "0" };
  const made = await api.planAccountsRaw({ dbID, accountPlanRequest: snapshot });
  const { planId, changed, source } = await made.value();
  check(changed === 1 && source.snapshot === 1, "planned");
  check((await api.listAccountPlans({ dbID })).some((each) => each.planId === planId), "plans");
  check((await api.getAccountPlan({ dbID, planId })).status === "READY", "plan");
  check((await api.listAccountPlanChanges({ dbID, planId, action: "changed" }))[0]?.id === id, "changes of the plan");
  const ifMatch = made.raw.headers.get("ETag") ?? "";
  const accountPlanApprovalRequest = { text: "As agreed" };
  const approved = await api.approveAccountPlan({ dbID, planId, ifMatch, accountPlanApprovalRequest }).catch((error: unknown) => error);
  check(approved instanceof ResponseError && approved.response.status === 403, "a key does not approve");
  const accountPlanRejectionRequest = { text: "Not needed" };
  const rejected = await api.rejectAccountPlan({ dbID, planId, ifMatch, accountPlanRejectionRequest }).catch((error: unknown) => error);
  check(rejected instanceof ResponseError && rejected.response.status === 403, "a key does not reject");
  check((await api.applyAccountPlan({ dbID, planId, ifMatch })).status === "APPLIED", "applied");
  await api.deleteAccountPlan({ dbID, planId });
  const started = await api.deleteAccounts({ dbID, deletionItem: [{ id }], references: "refuse" });
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
