/** Mistakes that a user can fix, their messages, and text of plugins made safe to show. */
@NullMarked
package dev.ebb.host.errors;

import org.jspecify.annotations.NullMarked;
