"use strict";

/** A list of names and values. */
function facts(pairs) {
  return element(
    "dl",
    "facts",
    ...pairs.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))),
  );
}

/** Describes the present state of a key, which is percent-encoded. */
async function describeNow(key) {
  try {
    const { entry, policy, score, text } = await read(`/api/v1/explain/${key}`);
    const expires = ["expires", entry.expiresAt === null ? "never" : MOMENT.format(new Date(entry.expiresAt))];
    if (entry.tier === "disk") {
      return [
        element("h3", "", "Now"),
        element("p", "", "The key is on the disk, and not in memory."),
        facts([["size", bytes(entry.bytes)], ["written", MOMENT.format(new Date(entry.writtenAt))], expires]),
      ];
    }
    return [
      element("h3", "", "Now"),
      element("p", "", "The key is resident."),
      facts([
        ["state", entry.state],
        ["size", bytes(entry.bytes)],
        ["age", lasting(entry.ageSeconds)],
        ["idle", lasting(entry.idleSeconds)],
        ["uses", whole(entry.accesses)],
        expires,
        ["pinned by", entry.pins.map(({ owner }) => owner).join(", ") || "none"],
        ["tenant", entry.tenant ?? UNKNOWN],
        ["model", entry.model ?? UNKNOWN],
        ["policy", policy ?? UNKNOWN],
        ["score", score === null ? UNKNOWN : String(score)],
        ["explanation", text || UNKNOWN],
      ]),
    ];
  } catch (error) {
    const words = error.status === 404 ? "The key is not resident." : "Ebb did not answer.";
    return [element("h3", "", "Now"), element("p", "", words)];
  }
}

async function lookUp(event) {
  event.preventDefault();
  const text = event.target.elements.key.value;
  await openDialog({
    title: "Entry",
    content: [element("p", "key whole", text), ...(await describeNow(encodeURIComponent(text)))],
  });
}
