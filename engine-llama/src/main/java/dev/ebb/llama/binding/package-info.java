/**
 * llama.cpp in this process: models, contexts with their KV cells, sampling, and a look at each
 * layer's attention while it is computed. Written against build b4916.
 *
 * <p>All of it belongs to one library that is loaded once and stays. What is opened is closed by
 * who opened it; a closed one refuses every call, so that no memory is touched after it was freed.
 *
 * <p>Depends on {@code dev.ebb.host.errors} alone.
 */
@NullMarked
package dev.ebb.llama.binding;

import org.jspecify.annotations.NullMarked;
