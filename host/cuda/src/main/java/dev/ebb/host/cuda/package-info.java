/**
 * An NVIDIA GPU as a device: its memory, its copies and its kernels, through JCuda's binding of the
 * CUDA driver API. {@link dev.ebb.host.cuda.CudaProbe} says whether there is one; nothing else may
 * be touched before.
 *
 * <p>Every call of the driver is made by a platform thread that the device owns, because a CUDA
 * context belongs to an operating-system thread.
 */
@NullMarked
package dev.ebb.host.cuda;

import org.jspecify.annotations.NullMarked;
