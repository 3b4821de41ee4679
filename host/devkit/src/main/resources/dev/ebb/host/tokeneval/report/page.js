"use strict";

screenTheme();
darkScreen.addEventListener("change", screenTheme);
document.body.dataset.ready = "true";
