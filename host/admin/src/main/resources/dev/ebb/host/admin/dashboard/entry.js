"use strict";

/** Names with their values. */
function facts(pairs) {
  return element(
    "dl",
    "facts",
    ...pairs.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))),
  );
}

/** What is known of a key now; key is percent-encoded. */
async function whatIsNow(key) {
  try {
    const { entry, policy, score, text } = await read(`/api/v1/explain/${key}`);
    return [
      element("h3", "", "Now"),
      element("p", "", "It is in the cache."),
      facts([
        ["state", entry.state],
        ["size", bytes(entry.bytes)],
        ["age", lasting(entry.ageSeconds)],
        ["unused for", lasting(entry.idleSeconds)],
        ["uses", whole(entry.accesses)],
        ["time to live ends", entry.expiresAt === null ? "never" : MOMENT.format(new Date(entry.expiresAt))],
        ["pinned by", entry.pins.map(({ owner }) => owner).join(", ") || "nobody"],
        ["tenant", entry.tenant ?? UNKNOWN],
        ["model", entry.model ?? UNKNOWN],
        ["policy", policy ?? UNKNOWN],
        ["its score", score === null ? UNKNOWN : String(score)],
        ["it says", text || UNKNOWN],
      ]),
    ];
  } catch (error) {
    const words = error.status === 404 ? "It is not in the cache." : "Ebb does not answer.";
    return [element("h3", "", "Now"), element("p", "", words)];
  }
}

async function lookUp(event) {
  event.preventDefault();
  const text = event.target.elements.key.value;
  await openDialog({
    title: "Entry",
    content: [element("p", "key whole", text), ...(await whatIsNow(encodeURIComponent(text)))],
  });
}
