/**
 * The KV pool: which blocks of a device's memory belong to whom, and what lies where in a block.
 *
 * <p>{@link dev.ebb.host.pool.KvLayout} is the shape of a block, {@link
 * dev.ebb.host.pool.RunAllocator} hands out block numbers, {@link dev.ebb.host.pool.KvPool} puts
 * both on a device with owners, reference counts, pins, compaction and moves. May depend on {@code
 * device}, {@code units} and {@code errors}.
 */
@NullMarked
package dev.ebb.host.pool;

import org.jspecify.annotations.NullMarked;
