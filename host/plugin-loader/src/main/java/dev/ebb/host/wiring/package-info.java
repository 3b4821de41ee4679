/** Wires the process. The injector knows host classes only, never a plugin's. */
@NullMarked
package dev.ebb.host.wiring;

import org.jspecify.annotations.NullMarked;
