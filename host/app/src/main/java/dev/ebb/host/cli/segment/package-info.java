/** Values of a server as files, and back. */
@NullMarked
package dev.ebb.host.cli.segment;

import org.jspecify.annotations.NullMarked;
