/** Closes what was opened. */
@NullMarked
package dev.ebb.host.lifecycle;

import org.jspecify.annotations.NullMarked;
