/**
 * llama.cpp in this process: models, contexts with their KV cells, sampling, and each layer's
 * attention while it is computed. Written against build b4916.
 *
 * <p>All of it belongs to one library that is loaded once and stays. The opener closes each object;
 * a closed one refuses every call, so that no freed memory is accessed.
 */
package dev.ebb.llama.binding;
