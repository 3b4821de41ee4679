/** Tests of this package. */
@NullMarked
package dev.ebb.server.cli;

import org.jspecify.annotations.NullMarked;
