/**
 * What token policies want to know of a sequence's keys: attention of the last queries, norms, the
 * running mean. Where the keys lie, what is computed, and how the host's processors compute it.
 *
 * <p>Depends on {@code device}, and on {@code pool} for the types of elements; a device with
 * kernels of its own implements {@link dev.ebb.host.signals.SignalKernels}.
 */
@NullMarked
package dev.ebb.host.signals;

import org.jspecify.annotations.NullMarked;
