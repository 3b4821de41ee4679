/** Prompts as chains of blocks. */
@NullMarked
package dev.ebb.router.prompt;

import org.jspecify.annotations.NullMarked;
