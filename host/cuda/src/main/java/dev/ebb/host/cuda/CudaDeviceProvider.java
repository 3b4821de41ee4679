package dev.ebb.host.cuda;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceProvider;
import java.util.List;

/** Opens the GPUs of this machine through JCuda. */
public final class CudaDeviceProvider implements DeviceProvider {

  /** Creates the provider; the driver is first touched when devices are opened. */
  public CudaDeviceProvider() {}

  @Override
  public DeviceKind kind() {
    return DeviceKind.CUDA;
  }

  @Override
  public List<Device> require() {
    return List.copyOf(CudaDevices.require());
  }

  @Override
  public List<Device> openIfUsable() {
    return List.copyOf(CudaDevices.openIfUsable());
  }
}
