package dev.ebb.host.engine;

import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.CudaDevices;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.HostDevice;
import java.util.List;

/** Opens the device that {@code ebb.pool.device} names: of several cards the first. */
final class Devices {

  private Devices() {}

  static Device open(PoolDevice wanted) {
    return switch (wanted) {
      case HOST -> new HostDevice();
      case CUDA -> first(CudaDevices.require());
      case AUTO -> {
        List<CudaDevice> cards = CudaDevices.openIfUsable();
        yield cards.isEmpty() ? new HostDevice() : first(cards);
      }
    };
  }

  private static Device first(List<CudaDevice> cards) {
    cards.stream().skip(1).forEach(CudaDevice::close);
    return cards.getFirst();
  }
}
