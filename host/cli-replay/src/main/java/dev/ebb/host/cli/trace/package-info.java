/** The options of commands that read or make traces. */
package dev.ebb.host.cli.trace;
