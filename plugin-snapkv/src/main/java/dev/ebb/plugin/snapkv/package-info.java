/**
 * Token policies, which choose the tokens that stay inside one sequence: {@code sliding-window},
 * {@code snapkv}, {@code h2o}, {@code tova}, {@code knorm}, {@code keydiff}, {@code
 * expected-attention} and the baseline {@code random}.
 */
@NullMarked
package dev.ebb.plugin.snapkv;

import org.jspecify.annotations.NullMarked;
