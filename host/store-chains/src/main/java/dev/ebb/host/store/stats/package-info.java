/**
 * Statistics of the store.
 *
 * <p>Depends on no other package of the store.
 */
@NullMarked
package dev.ebb.host.store.stats;

import org.jspecify.annotations.NullMarked;
