/** Quantities and bytes as text. */
package dev.ebb.host.units;
