/** Options that several commands share, and how wrong ones are reported. */
@NullMarked
package dev.ebb.host.cli.options;

import org.jspecify.annotations.NullMarked;
