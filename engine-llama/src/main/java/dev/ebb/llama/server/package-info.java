/**
 * {@code ebb engine start}: an OpenAI-compatible HTTP server with continuous batching over
 * llama.cpp, whose KV cells Ebb's prefix cache manages in blocks.
 *
 * <p>{@link dev.ebb.server.completion.EngineServer} puts the parts together. Ebb accounts for the
 * cells as for the pool of a device; {@link dev.ebb.llama.server.BlockCells} applies its decisions
 * to llama.cpp.
 */
@NullMarked
package dev.ebb.llama.server;

import org.jspecify.annotations.NullMarked;
