"use strict";

/** Shows errors on the page, not only in the browser's console. */
function showProblem(message) {
  document.body.dataset.error = message;
  const place = document.getElementById("problem");
  place.textContent = `This page could not be drawn completely: ${message}`;
  place.hidden = false;
}

addEventListener("error", (event) => {
  // Browsers report this when a layout takes one more frame; it is harmless.
  if (!event.message.startsWith("ResizeObserver loop")) {
    showProblem(event.message);
  }
});
addEventListener("unhandledrejection", (event) => showProblem(String(event.reason)));
addEventListener("securitypolicyviolation", (event) =>
  showProblem(`${event.violatedDirective} forbids ${event.blockedURI}`),
);
