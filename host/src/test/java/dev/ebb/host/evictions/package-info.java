/** Readers of what has left. */
@NullMarked
package dev.ebb.host.evictions;

import org.jspecify.annotations.NullMarked;
