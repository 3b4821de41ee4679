/** Plugin JARs: staged, judged, each loaded in a class loader of its own, listed, unloaded. */
package dev.ebb.host.plugin;
