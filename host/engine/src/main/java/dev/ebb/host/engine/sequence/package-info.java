/**
 * Sequences over the pools of one or several devices, behind one lock: they grow, share blocks, are
 * pruned, moved, preempted and scheduled.
 *
 * <p>{@link dev.ebb.host.engine.sequence.Engine} and {@link
 * dev.ebb.host.engine.sequence.DevicePartition} are public for the package above only.
 */
@NullMarked
package dev.ebb.host.engine.sequence;

import org.jspecify.annotations.NullMarked;
