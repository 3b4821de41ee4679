/**
 * The cache of blocks: resident entries, pins, and eviction.
 *
 * <p>{@link dev.ebb.host.cache.BlockCache} owns the state: index, reference counts, the leaf rule,
 * the count of evictable blocks. It emits one ordered stream of events, and the eviction policy is
 * one consumer of it. The same code serves requests and replays traces. One cache belongs to one
 * thread at a time; its policy runs there too, or on its own thread, which can be abandoned.
 */
package dev.ebb.host.cache;
