"use strict";

/** Dialogs are shown one after the other. */
let dialogs = Promise.resolve();

/**
 * Shows a dialog.
 *
 * spec.title, spec.content: nodes
 * spec.yes: the label of the confirming button; without it there is only "Close"
 * spec.closable: false if the user must confirm
 *
 * returns a promise of whether the user confirmed
 */
function openDialog(spec) {
  const answer = dialogs.then(() => showDialog(spec));
  dialogs = answer.catch(() => {});
  return answer;
}

function showDialog({ title, content, yes, closable = true }) {
  const dialog = document.getElementById("dialog");
  const heading = element("h2", "", title);
  heading.id = "dialog-title";
  const buttons = element("div", "buttons");
  const form = element("form", "", heading, ...content, buttons);
  return new Promise((resolve) => {
    let answer = false;
    if (closable) {
      const no = element("button", "button", yes ? "Cancel" : "Close");
      no.type = "button";
      no.onclick = () => dialog.close();
      buttons.append(no);
    }
    if (yes) {
      buttons.append(element("button", "button main", yes));
    }
    form.onsubmit = (event) => {
      event.preventDefault();
      answer = true;
      dialog.close();
    };
    dialog.oncancel = (event) => {
      if (!closable) {
        event.preventDefault();
      }
    };
    dialog.onclose = () => {
      if (!closable && !answer) {
        dialog.showModal();
        return;
      }
      dialog.replaceChildren();
      resolve(answer);
    };
    dialog.replaceChildren(form);
    dialog.showModal();
  });
}
