/** Plugin JARs: staged, judged, each loaded in a class loader of its own, listed, unloaded. */
@NullMarked
package dev.ebb.host.plugin;

import org.jspecify.annotations.NullMarked;
