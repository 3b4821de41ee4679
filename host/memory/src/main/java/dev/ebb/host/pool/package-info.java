/**
 * The KV pool: the ownership of a device's blocks, and the layout of a block.
 *
 * <p>{@link dev.ebb.host.pool.KvLayout} is the shape of a block, and {@link
 * dev.ebb.host.pool.runs.RunAllocator} allocates block numbers. {@link dev.ebb.host.pool.KvPool}
 * puts both on a device with owners, reference counts, pins, compaction and moves.
 */
@NullMarked
package dev.ebb.host.pool;

import org.jspecify.annotations.NullMarked;
