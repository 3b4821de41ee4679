"use strict";

/** Shows a tip near a point of the window, on the side with enough space. */
function showTip(x, y, ...content) {
  const tip = document.getElementById("tip");
  tip.replaceChildren(...content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const gap = 14;
  const left = x + gap + width <= innerWidth ? x + gap : Math.max(4, x - gap - width);
  const top = Math.min(Math.max(4, y - height / 2), Math.max(4, innerHeight - height - 4));
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

/** Shows an explanation while a control has the pointer or the focus. */
function explain(control, text) {
  const show = () => {
    const box = control.getBoundingClientRect();
    showTip(box.left, box.bottom + 30, element("p", "", text));
  };
  control.addEventListener("pointerenter", show);
  control.addEventListener("focus", show);
  control.addEventListener("pointerleave", hideTip);
  control.addEventListener("blur", hideTip);
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    hideTip();
  }
});
