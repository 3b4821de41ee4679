/** What several packages' tests use: a tiny model, made anew, and the question whether it runs. */
@NullMarked
package dev.ebb.llama.testing;

import org.jspecify.annotations.NullMarked;
