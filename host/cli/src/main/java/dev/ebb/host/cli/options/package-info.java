/** Options that several commands share, and how wrong ones are reported. */
package dev.ebb.host.cli.options;
