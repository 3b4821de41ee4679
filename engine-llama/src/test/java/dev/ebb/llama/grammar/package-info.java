/** Tests of grammars. */
@NullMarked
package dev.ebb.llama.grammar;

import org.jspecify.annotations.NullMarked;
