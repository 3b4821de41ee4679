/** The command line {@code ebb}. Only this package and those below it use picocli. */
@NullMarked
package dev.ebb.host.cli;

import org.jspecify.annotations.NullMarked;
