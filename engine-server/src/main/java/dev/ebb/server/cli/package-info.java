/** The commands {@code ebb engine}. */
@NullMarked
package dev.ebb.server.cli;

import org.jspecify.annotations.NullMarked;
