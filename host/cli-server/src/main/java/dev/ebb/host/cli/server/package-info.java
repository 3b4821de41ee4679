/**
 * Commands that show or change a running server: its statistics, entries, evictions, cluster and
 * configuration.
 */
@NullMarked
package dev.ebb.host.cli.server;

import org.jspecify.annotations.NullMarked;
