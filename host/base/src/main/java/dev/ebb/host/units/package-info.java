/** Quantities and bytes as people write them. Depends on {@code errors}. */
@NullMarked
package dev.ebb.host.units;

import org.jspecify.annotations.NullMarked;
