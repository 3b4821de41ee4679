/** Quantities and bytes as text. */
@NullMarked
package dev.ebb.host.units;

import org.jspecify.annotations.NullMarked;
