/**
 * Learns the chains of prompts from lookups, reads and writes. {@link
 * dev.ebb.host.store.chain.Chains} gives the cache requests of whole chains.
 *
 * <p>Depends on {@code store.key}, {@code store.tile} and {@code store.stats}.
 */
package dev.ebb.host.store.chain;
