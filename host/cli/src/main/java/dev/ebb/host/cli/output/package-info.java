/** Values, tables, files and progress as commands print them. */
@NullMarked
package dev.ebb.host.cli.output;

import org.jspecify.annotations.NullMarked;
