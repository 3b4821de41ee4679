/** Grammars in llama.cpp's GBNF that limit what a model can answer. */
@NullMarked
package dev.ebb.server.grammar;

import org.jspecify.annotations.NullMarked;
