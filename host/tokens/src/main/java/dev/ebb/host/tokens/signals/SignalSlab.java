package dev.ebb.host.tokens.signals;

import dev.ebb.host.device.Slab;

/** Device memory with kernels that compute signals next to the keys. */
public interface SignalSlab extends Slab {

  /** Returns the kernels over the keys in this slab, usable until the slab is closed. */
  SignalKernels signals();
}
