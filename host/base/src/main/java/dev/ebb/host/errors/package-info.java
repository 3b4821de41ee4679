/**
 * Mistakes that a user can mend, the words to tell them, and those of plugins made fit for it.
 * Depends on the JDK alone.
 */
@NullMarked
package dev.ebb.host.errors;

import org.jspecify.annotations.NullMarked;
