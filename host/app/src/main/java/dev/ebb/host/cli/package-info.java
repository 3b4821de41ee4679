/** The command line {@code ebb}. Only this package and those below it use picocli. */
package dev.ebb.host.cli;
