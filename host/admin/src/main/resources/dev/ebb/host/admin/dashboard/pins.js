"use strict";

const PIN_COLUMNS = [
  { label: "Key", words: true, text: (pin) => keyText(pin.text) },
  { label: "Owner", words: true, text: (pin) => pin.owner },
  { label: "Size", text: (pin) => bytes(pin.bytes) },
  { label: "Expires", text: (pin) => (pin.expiresAt === null ? "never" : soonText(new Date(pin.expiresAt))) },
  { label: "", acts: true, text: unpinButton },
];

let pinsShown = "";

async function drawPins() {
  const { pins } = await read("/api/v1/pins");
  const now = JSON.stringify(pins);
  if (now !== pinsShown) {
    pinsShown = now;
    fillTable(document.getElementById("pins-body"), PIN_COLUMNS, pins, "Nothing is pinned.");
  }
}

function unpinButton(pin) {
  const button = element("button", "button", "Unpin");
  button.type = "button";
  button.setAttribute("aria-label", `Unpin ${pin.text}, pinned by ${pin.owner}`);
  button.onclick = () =>
    doAndSay("pin-answer", button, async () => {
      await call("DELETE", `/api/v1/pins/${pin.key}?owner=${encodeURIComponent(pin.owner)}`);
      await drawPins();
      return `${pin.text} is unpinned.`;
    });
  return button;
}

async function pin(event) {
  event.preventDefault();
  const { key, system, owner, seconds } = Object.fromEntries(new FormData(event.target));
  const button = event.target.querySelector("button");
  await doAndSay("pin-answer", button, async () => {
    const pinned = await call("POST", "/api/v1/pins", {
      ...(system ? { system } : { key: encodeURIComponent(key) }),
      owner,
      ...(seconds ? { seconds: Number(seconds) } : {}),
    });
    const { text } = await pinned.json();
    event.target.elements[system ? "system" : "key"].value = "";
    await drawPins();
    return `${text} is pinned.`;
  });
}

function startPins() {
  document.getElementById("pin-form").addEventListener("submit", pin);
}
