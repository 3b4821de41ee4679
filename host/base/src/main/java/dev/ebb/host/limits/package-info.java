/** Limits on the memory that clients make the process hold. */
@NullMarked
package dev.ebb.host.limits;

import org.jspecify.annotations.NullMarked;
