/** The way in for commands of optional modules. */
package dev.ebb.host.cli;
