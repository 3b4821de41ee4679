/** Tests of the choice of an engine. */
@NullMarked
package dev.ebb.router.choice;

import org.jspecify.annotations.NullMarked;
