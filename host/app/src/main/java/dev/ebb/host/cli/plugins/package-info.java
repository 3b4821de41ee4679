/** {@code ebb plugins}: the plugins of a server, and tools for their authors. */
@NullMarked
package dev.ebb.host.cli.plugins;

import org.jspecify.annotations.NullMarked;
