/**
 * The signals of a sequence's keys and queries for token policies: attention of the last queries,
 * norms, running means. It covers the layout of the keys, the computations on the host's
 * processors, and the record of each sequence. A device with kernels of its own implements {@link
 * dev.ebb.host.tokens.signals.SignalKernels}.
 */
@NullMarked
package dev.ebb.host.tokens.signals;

import org.jspecify.annotations.NullMarked;
