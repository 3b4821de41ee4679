/** The way in for commands of optional modules. */
@NullMarked
package dev.ebb.host.cli;

import org.jspecify.annotations.NullMarked;
