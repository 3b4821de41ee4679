/**
 * Commands that show or change a running server: its statistics, entries, evictions, cluster and
 * configuration.
 */
package dev.ebb.host.cli.server;
