/** {@code ebb plugins}: the plugins of a server, and tools for their authors. */
package dev.ebb.host.cli.plugins;
