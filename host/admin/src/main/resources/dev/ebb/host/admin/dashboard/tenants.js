"use strict";

const TENANT_COLUMNS = [
  { label: "Tenant", words: true, text: ({ name }) => keyText(name) },
  { label: "Used", text: ({ usedBytes }) => bytes(usedBytes) },
  { label: "Quota", text: ({ quotaBytes }) => (quotaBytes === null ? "shared" : bytes(quotaBytes)) },
  { label: "Hit ratio", text: ({ hits, misses }) => ratio(hits / (hits + misses)) },
  { label: "Evicted", text: ({ evicted }) => few(evicted) },
];

/** The quota of a tenant is the size of its partition. */
function drawTenants({ tenants, partitions, fairness }) {
  document.getElementById("tenants").hidden = tenants.length === 0;
  const quotas = new Map(partitions.map((part) => [part.tenant, part.capacityBytes]));
  fillTable(
    document.getElementById("tenants-body"),
    TENANT_COLUMNS,
    tenants.map((tenant) => ({ ...tenant, quotaBytes: quotas.get(tenant.name) ?? null })),
    "",
  );
  document.getElementById("fairness").textContent =
    fairness === null ? "" : `Fairness ${few(fairness)} (Jain’s index): 1 if all tenants have the same hit ratio.`;
}
