/** Mistakes that a user can mend, and the words to tell them. Depends on the JDK alone. */
@NullMarked
package dev.ebb.host.errors;

import org.jspecify.annotations.NullMarked;
