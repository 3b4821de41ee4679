/** Tests of the command. */
@NullMarked
package dev.ebb.router.cli;

import org.jspecify.annotations.NullMarked;
