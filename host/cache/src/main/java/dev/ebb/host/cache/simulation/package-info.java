/**
 * Caches without values, which show what policies would have hit: for shadow policies and for
 * {@code auto}.
 */
@NullMarked
package dev.ebb.host.cache.simulation;

import org.jspecify.annotations.NullMarked;
