/** Which engine gets a request. */
@NullMarked
package dev.ebb.router.choice;

import org.jspecify.annotations.NullMarked;
