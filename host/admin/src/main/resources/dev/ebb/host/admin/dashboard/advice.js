"use strict";

let adviceShown = "";

/** Lists what to do, with a button where the page can do it. */
function drawAdvice(advice) {
  const now = JSON.stringify(advice);
  if (now !== adviceShown) {
    adviceShown = now;
    const list = document.getElementById("advice");
    list.hidden = advice.length === 0;
    list.replaceChildren(...advice.map(adviceItem));
  }
}

function adviceItem({ since, text, policy }) {
  const time = soonText(new Date(since));
  const words = element("p", "", `${text[0].toUpperCase()}${text.slice(1)}. `, element("span", "soft", "Since ", time));
  if (!policy) {
    return element("li", "notice", words);
  }
  const button = element("button", "button", `Switch to ${policy}…`);
  button.type = "button";
  button.onclick = () => switchPolicy(policy, button);
  return element("li", "notice row", words, button);
}
