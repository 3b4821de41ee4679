/** Values, tables, files and progress as commands print them. */
package dev.ebb.host.cli.output;
