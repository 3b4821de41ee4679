/**
 * Values that clients put under keys of their own: bytes in pool memory, one cache entry each.
 *
 * <p>{@link dev.ebb.host.store.ObjectStore} is the way in. A value becomes visible all at once, and
 * what was visible stays readable to its end. Which key leaves is the eviction policy's business,
 * asked through {@code cache}. The pool has parts, {@code StorePartition}, each with memory, lock
 * and policy of its own. May depend on {@code cache}, {@code device}, {@code pool}, {@code units},
 * {@code errors} and the SPI.
 */
@NullMarked
package dev.ebb.host.store;

import org.jspecify.annotations.NullMarked;
