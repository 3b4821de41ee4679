/** Readers of what has left. */
@NullMarked
package dev.ebb.host.evictionlog;

import org.jspecify.annotations.NullMarked;
