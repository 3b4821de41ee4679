/** Tests with a small random model. */
@NullMarked
package dev.ebb.jlama;

import org.jspecify.annotations.NullMarked;
