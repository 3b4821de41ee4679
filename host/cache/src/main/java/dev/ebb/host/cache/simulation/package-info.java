/**
 * Caches without values, which show what policies would have hit: for shadow policies and for
 * {@code auto}.
 */
package dev.ebb.host.cache.simulation;
