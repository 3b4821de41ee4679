/** Quantities as people write them. Depends on the JDK alone. */
@NullMarked
package dev.ebb.host.units;

import org.jspecify.annotations.NullMarked;
