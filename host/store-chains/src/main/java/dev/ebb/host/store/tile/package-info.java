/**
 * Finds the prompts in lookups that a client spreads over several connections.
 *
 * <p>LMCache's multiprocess mode looks up all chunks of a prompt at once: it cuts them into
 * contiguous tiles, one for each connection. {@link dev.ebb.host.store.tile.LookupBatch} collects
 * what a client looks up at a time, and {@link dev.ebb.host.store.tile.TileOrder} puts it in order.
 * Depends on no other package of the host.
 */
package dev.ebb.host.store.tile;
