package dev.ebb.host.cuda;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * What this machine has of CUDA, found out without loading anything that fails where it has none.
 *
 * @param deviceNames the cards, by ordinal; empty where CUDA cannot be used
 * @param driverVersion the newest CUDA version the driver speaks, 12060 for 12.6; 0 without a
 *     driver
 * @param reason why CUDA cannot be used, written for the user; empty where it can
 */
public record CudaProbe(List<String> deviceNames, int driverVersion, String reason) {

  /** Copies the names. */
  public CudaProbe {
    deviceNames = List.copyOf(deviceNames);
    requireNonNull(reason, "reason is null");
    if (deviceNames.isEmpty() == reason.isEmpty()) {
      throw new IllegalArgumentException("there must be either devices or a reason for none");
    }
  }

  /** Looks at the driver. Costs a fraction of a second where there is one. */
  public static CudaProbe run() {
    return DriverProbe.run("libcuda.so.1");
  }

  /**
   * Returns whether a card can be used.
   *
   * @return true if {@link CudaDevice#open} can be tried
   */
  public boolean found() {
    return reason.isEmpty();
  }
}
