package dev.ebb.host.cuda;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The CUDA support of this machine, probed without loading anything that fails on machines without
 * CUDA.
 *
 * @param deviceNames the GPUs, by ordinal; empty if CUDA cannot be used
 * @param driverVersion the newest CUDA version of the driver, 12060 for 12.6; 0 without a driver
 * @param reason why CUDA cannot be used, written for the user; empty if it can
 */
public record CudaProbe(List<String> deviceNames, int driverVersion, String reason) {

  public CudaProbe {
    deviceNames = List.copyOf(deviceNames);
    requireNonNull(reason, "reason is null");
    if (deviceNames.isEmpty() == reason.isEmpty()) {
      throw new IllegalArgumentException("there must be either devices or a reason for none");
    }
  }

  /** Probes the driver, which takes a fraction of a second if there is one. */
  public static CudaProbe run() {
    return DriverProbe.run("libcuda.so.1")
        .with(JcudaNatives.exist(CudaProbe.class.getClassLoader()));
  }

  /** Returns the result with or without JCuda's libraries, which are a download of their own. */
  CudaProbe with(boolean natives) {
    return natives || !found()
        ? this
        : new CudaProbe(
            List.of(),
            driverVersion,
            "a GPU was found, but the libraries of JCuda are missing; unpack"
                + " ebb-<version>-gpu.tar.gz over Ebb's folder, or set pool.device = host");
  }

  /** Returns whether a GPU can be used: true if {@link CudaDevice#open} can be tried. */
  public boolean found() {
    return reason.isEmpty();
  }
}
