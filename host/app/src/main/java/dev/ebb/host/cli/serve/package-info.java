/** The command {@code ebb serve}. */
@NullMarked
package dev.ebb.host.cli.serve;

import org.jspecify.annotations.NullMarked;
