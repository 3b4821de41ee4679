/**
 * The API for inference engines in the same JVM.
 *
 * <p>{@link dev.ebb.host.engine.Ebb} starts a KV pool with a prefix cache on it. A {@link
 * dev.ebb.host.engine.sequence.Sequence} is a request being served: its tokens, and the blocks that
 * hold their keys and values. One lock guards the records; the engine reads and writes the bytes.
 */
@NullMarked
package dev.ebb.host.engine;

import org.jspecify.annotations.NullMarked;
