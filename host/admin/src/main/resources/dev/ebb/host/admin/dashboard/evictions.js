"use strict";

/** Rows that the log keeps. */
const LOG_ROWS = 200;

const EVICTION_COLUMNS = [
  { label: "Key", words: true, text: explainButton },
  { label: "Left at", text: (eviction) => CLOCK.format(new Date(eviction.time)) },
  { label: "Policy", words: true, text: ({ policy }) => policy },
  { label: "Cause", words: true, text: causeText },
  { label: "Size", text: (eviction) => bytes(eviction.bytes) },
  { label: "Age", text: (eviction) => lasting(eviction.ageSeconds) },
  { label: "Unused for", text: (eviction) => lasting(eviction.idleSeconds) },
  { label: "Uses", text: (eviction) => whole(eviction.accesses) },
  { label: "Score", text: (eviction) => few(eviction.score) },
  { label: "Tenant", words: true, text: ({ tenant }) => tenant ?? UNKNOWN },
];

/** What the accounts mean on which entries are evicted. */
const ACCOUNTS = {
  background: "in the background, ahead of demand",
  demand: "because a client waited for the room",
  fallback: "by the host itself: a client waited for the room, and the policy did not answer in time",
};

let paused = false;
let leftOut = 0;

/** Starts the log with what the process remembers. */
async function readEvictions() {
  const { evictions } = await read(`/api/v1/evictions?tail=${LOG_ROWS}`);
  document.getElementById("log-body").replaceChildren();
  showEvictions(evictions);
}

/** What has just left, oldest first. */
function addEvictions({ evictions, leftOut: more }) {
  leftOut += more;
  if (paused) {
    leftOut += evictions.length;
  } else {
    showEvictions(evictions);
  }
  document.getElementById("log-caption").textContent =
    `Newest first; choose a key to see why it left.${leftOut > 0 ? ` Not shown: ${few(leftOut)} more.` : ""}`;
}

function showEvictions(evictions) {
  const place = document.getElementById("log-body");
  if (!place.querySelector("tbody")) {
    fillTable(place, EVICTION_COLUMNS, [...evictions].reverse(), "Nothing has been evicted yet.");
    return;
  }
  const body = place.querySelector("tbody");
  body.prepend(...[...evictions].reverse().map((eviction) => tableRow(EVICTION_COLUMNS, eviction)));
  while (body.rows.length > LOG_ROWS) {
    body.lastChild.remove();
  }
}

function causeText({ cause, by }) {
  return by === null ? cause : `${cause}, ${by}`;
}

function explainButton(eviction) {
  const button = element("button", "link", keyText(eviction.text));
  button.type = "button";
  button.onclick = () => explainEviction(eviction);
  return button;
}

async function explainEviction(eviction) {
  const now = eviction.key === null ? [] : await whatIsNow(eviction.key);
  await openDialog({
    title: "Why it left",
    content: [
      element("p", "key whole", eviction.text),
      element("p", "", whyItLeft(eviction)),
      facts([
        ["size", bytes(eviction.bytes)],
        ["age", lasting(eviction.ageSeconds)],
        ["unused for", lasting(eviction.idleSeconds)],
        ["uses", whole(eviction.accesses)],
        ["score", few(eviction.score)],
        ["tenant", eviction.tenant ?? UNKNOWN],
      ]),
      ...now,
    ],
  });
}

function whyItLeft({ time, cause, by, policy }) {
  const when = CLOCK.format(new Date(time));
  if (cause !== "evicted") {
    return `At ${when}: ${cause}.`;
  }
  const who = by === "fallback" ? "It was evicted" : `${policy} chose it`;
  return `At ${when}: ${who}${by === null ? "" : `, ${ACCOUNTS[by] ?? by}`}.`;
}

function startLog() {
  const pause = document.getElementById("log-pause");
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Go on" : "Pause";
  });
  document.getElementById("look-up")?.addEventListener("submit", lookUp);
}
