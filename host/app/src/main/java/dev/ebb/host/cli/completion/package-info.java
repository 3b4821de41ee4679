/** Scripts with which a shell completes Ebb's commands. Depends on picocli only. */
@NullMarked
package dev.ebb.host.cli.completion;

import org.jspecify.annotations.NullMarked;
