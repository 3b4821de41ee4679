package dev.ebb.host.cuda;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens all cards of this machine. */
public final class CudaDevices {

  private static final Logger log = LoggerFactory.getLogger(CudaDevices.class);

  private CudaDevices() {}

  /**
   * What {@code pool.device = cuda} means.
   *
   * @return at least one open device, by ordinal
   * @throws UserError if there is none or one cannot be used, with what is missing
   */
  public static List<CudaDevice> require() {
    CudaProbe probe = CudaProbe.run();
    if (!probe.found()) {
      throw new UserError("pool.device 'cuda' cannot be used: " + probe.reason());
    }
    try {
      return open(probe);
    } catch (DeviceException refusal) {
      throw new UserError("pool.device 'cuda' cannot be used: " + refusal.getMessage());
    }
  }

  /**
   * What {@code pool.device = auto} means. Where no card can be used, one line of the log says why.
   *
   * @return the open devices, by ordinal; empty if the host's memory is to be used
   */
  public static List<CudaDevice> openIfUsable() {
    CudaProbe probe = CudaProbe.run();
    String reason = probe.reason();
    if (probe.found()) {
      try {
        return open(probe);
      } catch (DeviceException refusal) {
        reason = String.valueOf(refusal.getMessage());
      }
    }
    log.info("no GPU is used, KV memory is the host's reason=\"{}\"", reason);
    return List.of();
  }

  private static List<CudaDevice> open(CudaProbe probe) {
    List<CudaDevice> devices = new ArrayList<>();
    try {
      for (int ordinal = 0; ordinal < probe.deviceNames().size(); ordinal++) {
        devices.add(CudaDevice.open(ordinal));
      }
      return List.copyOf(devices);
    } catch (RuntimeException | Error e) {
      devices.forEach(CudaDevice::close);
      throw e;
    }
  }
}
