/** Wires the process. The injector knows host classes only, never a plugin's. */
package dev.ebb.host.wiring;
