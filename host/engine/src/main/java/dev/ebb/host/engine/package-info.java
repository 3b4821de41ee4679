/**
 * The embedding API: what an inference engine in the same JVM uses.
 *
 * <p>{@link dev.ebb.host.engine.Ebb} starts a KV pool with a prefix cache on it. A {@link
 * dev.ebb.host.engine.Sequence} is a request being served: its tokens, and the blocks that hold
 * their keys and values. One lock guards the bookkeeping; the bytes are the engine's own business.
 */
@NullMarked
package dev.ebb.host.engine;

import org.jspecify.annotations.NullMarked;
