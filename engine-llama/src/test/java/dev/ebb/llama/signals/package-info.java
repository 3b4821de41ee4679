/** Tests of what token policies see, against a naive computation of the model's first layer. */
@NullMarked
package dev.ebb.llama.signals;

import org.jspecify.annotations.NullMarked;
