package dev.ebb.host.engine;

import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.CudaDevices;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.HostDevice;
import java.util.ArrayList;
import java.util.List;

/** Opens the devices that {@code ebb.pool.device} names. */
final class Devices {

  private Devices() {}

  static List<Device> open(PoolDevice wanted) {
    return switch (wanted) {
      case HOST -> List.of(new HostDevice());
      case CUDA -> List.copyOf(CudaDevices.require());
      case AUTO -> {
        List<CudaDevice> cards = CudaDevices.openIfUsable();
        yield cards.isEmpty() ? List.of(new HostDevice()) : List.copyOf(cards);
      }
      case ALL -> {
        List<Device> all = new ArrayList<>(CudaDevices.openIfUsable());
        all.add(new HostDevice());
        yield all;
      }
    };
  }
}
