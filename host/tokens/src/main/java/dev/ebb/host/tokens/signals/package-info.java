/**
 * What token policies want to know of a sequence's keys and queries: attention of the last queries,
 * norms, running means. Where the keys lie, what is computed, how the host's processors compute it,
 * and what is kept of it for each sequence.
 *
 * <p>Depends on {@code device}, {@code sequence}, the SPI, and on {@code pool} for the shape of a
 * block; a device with kernels of its own implements {@link
 * dev.ebb.host.tokens.signals.SignalKernels}.
 */
@NullMarked
package dev.ebb.host.tokens.signals;

import org.jspecify.annotations.NullMarked;
