/** Jlama, with its KV buffers in the blocks of an Ebb. */
package dev.ebb.jlama;
