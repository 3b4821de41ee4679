/**
 * An NVIDIA GPU as a device: its memory, its copies and its kernels, through JCuda's binding of the
 * CUDA driver API. Use {@link dev.ebb.host.cuda.CudaProbe} first: it reports whether there is one.
 *
 * <p>Every call of the driver is made by a platform thread that the device owns, because a CUDA
 * context belongs to an operating-system thread.
 */
package dev.ebb.host.cuda;
