"use strict";

/** Whatever goes wrong is said on the page, not only in the browser's console. */
function showProblem(message) {
  document.body.dataset.error = message;
  const place = document.getElementById("problem");
  place.textContent = `This page could not be drawn completely: ${message}`;
  place.hidden = false;
}

addEventListener("error", (event) => {
  // Said by browsers when a layout settles a frame late; nothing is missing then.
  if (!event.message.startsWith("ResizeObserver loop")) {
    showProblem(event.message);
  }
});
addEventListener("unhandledrejection", (event) => showProblem(String(event.reason)));
addEventListener("securitypolicyviolation", (event) =>
  showProblem(`${event.violatedDirective} forbids ${event.blockedURI}`),
);
