package dev.ebb.host.tokens.signals;

import dev.ebb.host.device.Slab;

/** Device memory with kernels that compute signals where the keys are. */
public interface SignalSlab extends Slab {

  /**
   * Returns the kernels that compute signals over the keys in this slab.
   *
   * @return kernels that may be used until the slab is closed
   */
  SignalKernels signals();
}
