package dev.ebb.host.cuda;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceProvider;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the GPUs of this machine through JCuda. */
public final class CudaDeviceProvider implements DeviceProvider {

  private static final Logger log = LoggerFactory.getLogger(CudaDeviceProvider.class);

  /** Creates the provider; the driver is first touched when devices are opened. */
  public CudaDeviceProvider() {}

  @Override
  public DeviceKind kind() {
    return DeviceKind.CUDA;
  }

  @Override
  public List<Device> require() {
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

  @Override
  public List<Device> openIfUsable() {
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

  private static List<Device> open(CudaProbe probe) {
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
