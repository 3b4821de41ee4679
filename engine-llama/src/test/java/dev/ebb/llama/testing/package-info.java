/** Test fixtures of several packages: a tiny model, written on demand, and a check that it runs. */
@NullMarked
package dev.ebb.llama.testing;

import org.jspecify.annotations.NullMarked;
