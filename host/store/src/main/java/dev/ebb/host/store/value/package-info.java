/**
 * Values and their memory: blocks and slots of the pool.
 *
 * <p>Depends on {@code store.chain}, {@code store.key} and {@code store.stats}.
 */
package dev.ebb.host.store.value;
