/** Tests of prompts as chains. */
@NullMarked
package dev.ebb.router.prompt;

import org.jspecify.annotations.NullMarked;
