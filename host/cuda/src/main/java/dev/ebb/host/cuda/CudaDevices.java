package dev.ebb.host.cuda;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens all GPUs of this machine. */
public final class CudaDevices {

  private static final Logger log = LoggerFactory.getLogger(CudaDevices.class);

  private CudaDevices() {}

  /**
   * Opens the GPUs for {@code pool.device = cuda}.
   *
   * @return at least one open device, by ordinal
   * @throws UserError if there is none or one cannot be used, with the missing part
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
   * Opens the GPUs for {@code pool.device = auto}. If none can be used, logs the reason in one
   * line.
   *
   * @return the open devices, by ordinal; empty if host memory is to be used
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
    log.info("no GPU is used, the KV pool is in host memory reason=\"{}\"", reason);
    return List.of();
  }

  private static List<CudaDevice> open(CudaProbe probe) {
    List<CudaDevice> devices = new ArrayList<>();
    try {
      for (int ordinal = 0; ordinal < probe.deviceNames().size(); ordinal++) {
        devices.add(CudaDevice.open(ordinal));
      }
      Set<Nvml.NvLink> links =
          Nvml.links(Nvml.LIBRARY, devices.stream().map(CudaDevice::pciAddress).toList());
      devices.forEach(device -> device.link(devices, links));
      return List.copyOf(devices);
    } catch (RuntimeException | Error e) {
      devices.forEach(CudaDevice::close);
      throw e;
    }
  }
}
