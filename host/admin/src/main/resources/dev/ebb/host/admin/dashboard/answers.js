"use strict";

/** Runs an operator's action, and shows the result beside the button. */
async function doAndSay(placeId, button, work) {
  const place = document.getElementById(placeId);
  button.disabled = true;
  place.classList.remove("failed");
  place.textContent = "…";
  try {
    place.textContent = await work();
  } catch (error) {
    place.classList.add("failed");
    place.textContent = error instanceof Refusal ? error.message : "Ebb did not answer. It is unknown whether the change was made.";
  } finally {
    button.disabled = false;
  }
}
