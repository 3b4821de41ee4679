/** Values of a server as files, and back. */
package dev.ebb.host.cli.segment;
