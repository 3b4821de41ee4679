/** The options of commands that read or make traces. */
@NullMarked
package dev.ebb.host.cli.trace;

import org.jspecify.annotations.NullMarked;
