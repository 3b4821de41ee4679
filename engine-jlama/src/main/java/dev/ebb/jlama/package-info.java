/** Jlama, with its KV buffers in the blocks of an Ebb. */
@NullMarked
package dev.ebb.jlama;

import org.jspecify.annotations.NullMarked;
