/** Grammars in llama.cpp's GBNF that limit what a model can answer. */
package dev.ebb.server.grammar;
