"use strict";

let policies = [];

/** Reads the policies and keeps the selection. Returns the name of the active policy. */
async function drawPolicies() {
  const { policy, policies: all } = await read("/api/v1/policies");
  policies = all;
  const choice = document.getElementById("policy-choice");
  const chosen = choice.value;
  const hindrance = ({ problem, quarantine }) => (quarantine ? "in quarantine" : problem === null ? "" : "cannot be created");
  choice.replaceChildren(
    ...all.map((each) => {
      const why = hindrance(each);
      const option = element("option", "", why ? `${each.name} (${why})` : each.name);
      option.value = each.name;
      option.disabled = why !== "" || each.name === policy;
      return option;
    }),
  );
  const free = all.filter((each) => !hindrance(each) && each.name !== policy).map(({ name }) => name);
  choice.value = free.includes(chosen) ? chosen : (free[0] ?? "");
  drawChosen();
  drawQuarantine(all);
  drawOrigin(all.find(({ name }) => name === policy));
  return policy;
}

/** Shows the plugin and the version of the active policy. */
function drawOrigin(active) {
  document.getElementById("policy-origin").textContent = active?.plugin ? `${active.plugin} ${active.version}` : "built in";
}

let quarantineShown = "";

/** Shows the quarantined policies, each with its reason and a button that clears it. */
function drawQuarantine(all) {
  const cases = all.filter(({ quarantine }) => quarantine);
  const now = JSON.stringify(cases.map(({ name, quarantine }) => [name, quarantine]));
  if (now !== quarantineShown) {
    quarantineShown = now;
    document.getElementById("quarantine").replaceChildren(...cases.map(quarantineNotice));
  }
}

function quarantineNotice({ name, plugin, version, quarantine }) {
  const since = element("time", "", soonText(new Date(quarantine.since)));
  since.dateTime = quarantine.since;
  const words = element("p", "", element("b", "", name), ` of ${plugin} ${version} has been in quarantine since `, since, `: ${quarantine.reason}.`);
  const button = element("button", "button", "Clear quarantine");
  button.type = "button";
  button.setAttribute("aria-label", `Clear the quarantine of ${name}`);
  button.onclick = () =>
    doAndSay("policy-answer", button, async () => {
      await call("DELETE", `/api/v1/quarantine/${encodeURIComponent(name)}`);
      const active = await drawPolicies();
      return `${name} is no longer in quarantine; ${active} is active until you switch.`;
    });
  return element("div", "notice row", words, button);
}

/** Shows the plugin and the settings of the selected policy. */
function drawChosen() {
  const name = document.getElementById("policy-choice").value;
  const policy = policies.find((each) => each.name === name);
  document.getElementById("policy-about").textContent = policy ? aboutPolicy(policy) : "There is no other policy.";
}

function aboutPolicy({ name, plugin, version, settings }) {
  const from = plugin === null ? "is built in" : `comes from ${plugin} ${version}`;
  const set = settings.map(({ key, value }) => `${key} = ${value}`).join(", ");
  return `${name} ${from}${set ? `; ${set}` : ""}.`;
}

/** Names the active policy. */
function drawPolicy({ policy }) {
  const name = document.getElementById("policy-name");
  document.getElementById("policy-chosen").textContent = policy.chosen === null ? "" : `uses ${policy.chosen}`;
  if (name.textContent !== policy.name) {
    const first = name.textContent === "";
    name.textContent = policy.name;
    if (!first) {
      drawPolicies().catch(() => {});
    }
  }
  const notice = document.getElementById("policy-notice");
  const words = whyPolicy(policy);
  notice.hidden = words === "";
  notice.textContent = words;
}

/** Explains why another policy than the configured one is active, or that rules are paused. */
function whyPolicy({ name, configured, rule, rulesPaused }) {
  if (rule) {
    return `Activated by rule ${rule}. The configured policy is ${configured}.`;
  }
  if (rulesPaused) {
    return "The rules are paused. To resume them: ebb policy rules resume";
  }
  return name === configured ? "" : `The configured policy ${configured} has failed; ${name} is active instead.`;
}

/** The unit and the meaning of gauges that several policies have. */
const GAUGES = {
  t1: ["blocks", "used once lately"],
  t2: ["blocks", "used again"],
  b1: ["blocks", "evicted from t1 and remembered"],
  b2: ["blocks", "evicted from t2 and remembered"],
  p: ["blocks", "target size of t1"],
  small: ["blocks", "in the queue of new blocks"],
  main: ["blocks", "in the main queue"],
  window: ["blocks", "in the window of new blocks"],
  probation: ["blocks", "used once, evicted first"],
  protected: ["blocks", "used again, evicted last"],
  ghosts: ["blocks", "evicted and remembered"],
  "ghost-hits": ["requests", "for remembered blocks"],
  lir: ["blocks", "that return soon"],
  hir: ["blocks", "that return late, evicted first"],
  a1in: ["blocks", "new, first in first out"],
  a1out: ["blocks", "evicted from a1in and remembered"],
  am: ["blocks", "requested again after a1in"],
  "set-aside": ["entries", "that Ebb refused to evict"],
  age: ["", "key of the last victim"],
  "lowest-key": ["", "key of the next victim"],
  leaves: ["blocks", "without a resident successor"],
  cohorts: ["groups", "of blocks used at the same time"],
  awaited: ["blocks", "that waiting requests need"],
  needed: ["blocks", "that waiting requests need"],
  "behind-lru": ["hits", "lost to LRU on the sample"],
  "follows-lru": ["", "1 while it evicts as LRU does"],
  rejections: ["blocks", "not admitted"],
  pinned: ["entries", "pinned for a tool call"],
  pins: ["", "pins for tool calls"],
  "tool-calls": ["", "observed durations"],
  predicted: ["entries", "with a predicted life"],
  unpredicted: ["entries", "without a predicted life"],
  "life-seconds": ["s", "mean idle time of evicted blocks"],
  classes: ["", "classes of requests or blocks"],
};

function drawGauges({ policy }) {
  fillTable(
    document.getElementById("gauges"),
    [
      { label: "Gauge", words: true, text: ([gauge]) => gauge },
      { label: "Value", text: ([gauge, value]) => `${few(value)} ${GAUGES[gauge]?.[0] ?? ""}`.trim() },
      { label: "", words: true, text: ([gauge]) => element("span", "soft", GAUGES[gauge]?.[1] ?? "") },
    ],
    Object.entries(policy.gauges),
    "",
  );
}

async function switchPolicy(to, button) {
  const from = document.getElementById("policy-name").textContent;
  const words = `No entry is evicted by the switch, and clients see no errors. The charts mark the switch.`;
  const title = from ? `Switch from ${from} to ${to}?` : `Switch to ${to}?`;
  if (!to || !(await openDialog({ title, content: [element("p", "", words)], yes: "Switch" }))) {
    return;
  }
  await doAndSay("policy-answer", button, async () => {
    const changed = await (await call("PUT", "/api/v1/policy", { policy: to })).json();
    return `${changed.policy} is active since ${CLOCK.format(Date.now())}; the previous policy was ${changed.before}.`;
  });
  await drawPolicies();
}

function startPolicy() {
  document.getElementById("policy-form").addEventListener("submit", (event) => {
    event.preventDefault();
    switchPolicy(document.getElementById("policy-choice").value, event.submitter);
  });
  document.getElementById("policy-choice").addEventListener("change", drawChosen);
}
