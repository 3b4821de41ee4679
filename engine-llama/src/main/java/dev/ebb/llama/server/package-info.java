/**
 * {@code ebb engine start}: an OpenAI-compatible HTTP server with continuous batching over
 * llama.cpp, with the prefix cache and the pool of an {@link dev.ebb.host.engine.Ebb}.
 *
 * <p>{@link dev.ebb.server.completion.EngineServer} puts the parts together. {@link
 * dev.ebb.llama.server.BlockCells} has the cells of running requests, which {@link
 * dev.ebb.llama.server.CellPages} copies between llama.cpp and the pool.
 */
package dev.ebb.llama.server;
