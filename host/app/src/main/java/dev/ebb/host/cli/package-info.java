/** The command line {@code ebb}. The only package that touches picocli. */
@NullMarked
package dev.ebb.host.cli;

import org.jspecify.annotations.NullMarked;
