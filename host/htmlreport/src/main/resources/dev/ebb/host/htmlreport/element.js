"use strict";

/** The text for an unknown number. */
const UNKNOWN = "–";

/** Creates an element with text or children. Text is never parsed as markup. */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  made.append(...children);
  return made;
}
