"use strict";

/** The number of rows in the log. */
const LOG_ROWS = 200;

const EVICTION_COLUMNS = [
  { label: "Key", words: true, text: explainButton },
  { label: "Time", text: (eviction) => CLOCK.format(new Date(eviction.time)) },
  { label: "Policy", words: true, text: ({ policy }) => policy },
  { label: "Cause", words: true, text: causeText },
  { label: "Size", text: (eviction) => bytes(eviction.bytes) },
  { label: "Age", text: (eviction) => lasting(eviction.ageSeconds) },
  { label: "Idle", text: (eviction) => lasting(eviction.idleSeconds) },
  { label: "Uses", text: (eviction) => whole(eviction.accesses) },
  { label: "Score", text: (eviction) => few(eviction.score) },
  { label: "Tenant", words: true, text: ({ tenant }) => tenant ?? UNKNOWN },
];

/** The meaning of each kind of eviction. */
const KINDS = {
  background: "in the background, ahead of demand",
  demand: "because a client waited for memory",
  fallback: "by Ebb itself, because the policy did not answer in time",
};

let paused = false;
let leftOut = 0;

/** The evictions that were read: the latest ones are also in the next event. */
let readAlready = new Set();

/** Fills the log with the evictions that the server keeps. */
async function readEvictions() {
  const { evictions } = await read(`/api/v1/evictions?tail=${LOG_ROWS}`);
  readAlready = new Set(evictions.map(identity));
  document.getElementById("log-body").replaceChildren();
  showEvictions(evictions);
}

/** Adds evictions, oldest first. */
function addEvictions({ evictions: published, leftOut: more }) {
  const evictions = published.filter((eviction) => !readAlready.has(identity(eviction)));
  leftOut += more;
  if (paused) {
    leftOut += evictions.length;
  } else {
    showEvictions(evictions);
  }
  document.getElementById("log-caption").textContent =
    `Newest first. Select a key to see why it was evicted.${leftOut > 0 ? ` Not shown: ${few(leftOut)} more.` : ""}`;
}

function identity({ time, key }) {
  return `${time} ${key}`;
}

function showEvictions(evictions) {
  const place = document.getElementById("log-body");
  if (!place.querySelector("tbody")) {
    fillTable(place, EVICTION_COLUMNS, [...evictions].reverse(), "Nothing has been evicted yet.");
    return;
  }
  const body = place.querySelector("tbody");
  body.prepend(...[...evictions].reverse().map((eviction) => rowOf(EVICTION_COLUMNS, eviction)));
  while (body.rows.length > LOG_ROWS) {
    body.lastChild.remove();
  }
}

function causeText({ cause, by, reason, group }) {
  if (reason !== "chosen") {
    return group === null ? `${reason}, ${by}` : `${reason} (group ${group}), ${by}`;
  }
  return by === null ? cause : `${cause}, ${by}`;
}

function explainButton(eviction) {
  const button = element("button", "link", keyText(eviction.text));
  button.type = "button";
  button.onclick = () => explainEviction(eviction);
  return button;
}

async function explainEviction(eviction) {
  const now = eviction.key === null ? [] : await describeNow(eviction.key);
  await openDialog({
    title: "Eviction",
    content: [
      element("p", "key whole", eviction.text),
      element("p", "", reasonOf(eviction)),
      facts([
        ["size", bytes(eviction.bytes)],
        ["age", lasting(eviction.ageSeconds)],
        ["idle", lasting(eviction.idleSeconds)],
        ["uses", whole(eviction.accesses)],
        ["score", few(eviction.score)],
        ["tenant", eviction.tenant ?? UNKNOWN],
      ]),
      ...now,
    ],
  });
}

function reasonOf({ time, cause, by, policy, reason, group }) {
  const when = CLOCK.format(new Date(time));
  if (cause !== "evicted") {
    return `At ${when}: ${cause}.`;
  }
  const who =
    reason === "thinned"
      ? `object of group ${group} evicted, its chunk stays`
      : reason === "unusable"
        ? "evicted because no prompt could go on after it"
        : by === "fallback"
          ? "evicted"
          : `chosen by ${policy}`;
  return `At ${when}: ${who}${by === null ? "" : `, ${KINDS[by] ?? by}`}.`;
}

function startLog() {
  const pause = document.getElementById("log-pause");
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
  });
  document.getElementById("look-up")?.addEventListener("submit", lookUp);
}
