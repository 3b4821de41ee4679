"use strict";

/** Does something that an operator asked for, and says beside the button how it went. */
async function doAndSay(placeId, button, work) {
  const place = document.getElementById(placeId);
  button.disabled = true;
  place.classList.remove("failed");
  place.textContent = "…";
  try {
    place.textContent = await work();
  } catch (error) {
    place.classList.add("failed");
    place.textContent = error instanceof Refusal ? error.message : "Ebb does not answer; nothing is known to have changed.";
  } finally {
    button.disabled = false;
  }
}
