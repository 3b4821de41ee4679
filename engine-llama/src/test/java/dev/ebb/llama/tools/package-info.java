/** Tests of function calling. */
@NullMarked
package dev.ebb.llama.tools;

import org.jspecify.annotations.NullMarked;
