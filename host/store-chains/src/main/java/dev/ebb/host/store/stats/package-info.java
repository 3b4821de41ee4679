/**
 * Statistics of the store.
 *
 * <p>Depends on no other package of the store.
 */
package dev.ebb.host.store.stats;
