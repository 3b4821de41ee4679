"use strict";

/** What stands for a number that is not known. */
const UNKNOWN = "–";

/** An element with text or children; text is never read as markup. */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  made.append(...children);
  return made;
}
