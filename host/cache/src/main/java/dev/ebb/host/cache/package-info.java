/**
 * The cache of blocks: what is resident, what is in use, and what is evicted.
 *
 * <p>{@link dev.ebb.host.cache.BlockCache} owns the truth (index, reference counts, the leaf rule,
 * the count of what could leave) and emits one ordered stream of events; the eviction policy is one
 * consumer of it. The same code serves requests and replays traces. One cache belongs to one thread
 * at a time; its policy runs there too, or on its own thread, which can be abandoned.
 *
 * <p>May depend on the SPI, on {@code errors} and on HdrHistogram only.
 */
@NullMarked
package dev.ebb.host.cache;

import org.jspecify.annotations.NullMarked;
