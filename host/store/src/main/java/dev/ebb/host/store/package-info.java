/**
 * Values that clients put under keys of their own: bytes in pool memory, one cache entry each.
 *
 * <p>{@link dev.ebb.host.store.ObjectStore} is the entry point. A value becomes visible atomically,
 * and open readers stay valid. The eviction policy chooses the keys to evict, through {@code
 * cache}. The pool has parts, {@code StorePartition}, each with memory, lock and policy of its own.
 */
package dev.ebb.host.store;
