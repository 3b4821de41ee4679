"use strict";

/** Shows the heap per entry, if it was measured. */
function drawMemory(section, looks) {
  const script = document.querySelector("script.memory");
  if (script === null) {
    return;
  }
  const bytes = (value) => element("td", "", value === null ? UNKNOWN : count(Math.round(value)));
  const rows = JSON.parse(script.text).map((measured) => {
    const look = looks.get(measured.policy);
    const head = headCell("row", "words", look ? named(look) : measured.policy);
    return element("tr", look?.isCandidate ? "candidate" : "", head, bytes(measured.bytesPerEntry), bytes(measured.bytesPerEntryTurnedOver));
  });
  section.querySelector("tbody").replaceChildren(...rows);
  section.hidden = false;
}
