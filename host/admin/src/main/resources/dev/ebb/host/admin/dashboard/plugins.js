"use strict";

const PLUGIN_COLUMNS = [
  { label: "File", words: true, text: ({ file }) => keyText(file.split(/[\\/]/).at(-1)) },
  { label: "Plugin", words: true, text: ({ id, version }) => (id ? `${id} ${version ?? ""}` : UNKNOWN) },
  { label: "State", words: true, text: pluginState },
  { label: "Strategies", words: true, text: ({ strategies }) => element("span", "why", namesOf(strategies)) },
];

function namesOf(strategies) {
  return Object.values(strategies).flat().join(", ") || UNKNOWN;
}

async function drawPlugins() {
  const { folder, spi, plugins } = await read("/api/v1/plugins");
  document.getElementById("plugins-folder").textContent = `JARs in ${folder}; SPI ${spi}`;
  fillTable(document.getElementById("plugins-body"), PLUGIN_COLUMNS, plugins, "There is no JAR in this folder.");
}

/** Returns the state, with the reason if there is one. */
function pluginState({ state, reason }) {
  const words = element("span", state === "loaded" ? "" : "failed", state.replaceAll("_", " "));
  return element("span", "", words, ...(reason ? [element("small", "why", reason)] : []));
}
