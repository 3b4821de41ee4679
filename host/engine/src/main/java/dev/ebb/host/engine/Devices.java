package dev.ebb.host.engine;

import dev.ebb.host.config.PoolConfig;
import dev.ebb.host.config.PoolNuma;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceProvider;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.numa.NumaPlacement;
import dev.ebb.host.numa.NumaTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Opens the devices that {@code ebb.pool.device} names. */
final class Devices {

  private Devices() {}

  static List<Device> open(PoolConfig config) {
    return switch (config.device()) {
      case HOST -> List.of(host(config.numa()));
      case CUDA -> cuda().orElseThrow(Devices::noCudaModule).require();
      case AUTO -> {
        List<Device> cards = usableCards();
        yield cards.isEmpty() ? List.of(host(config.numa())) : cards;
      }
      case ALL -> {
        List<Device> all = new ArrayList<>(usableCards());
        all.add(host(config.numa()));
        yield all;
      }
    };
  }

  private static Device host(PoolNuma numa) {
    return new HostDevice(
        switch (numa) {
          case LOCAL -> NumaPlacement.local(NumaTopology.read());
          case INTERLEAVE -> NumaPlacement.interleaved(NumaTopology.read());
          case OFF -> NumaPlacement.DEFAULT;
        });
  }

  private static List<Device> usableCards() {
    return cuda().map(DeviceProvider::openIfUsable).orElse(List.of());
  }

  private static Optional<DeviceProvider> cuda() {
    return ServiceLoader.load(DeviceProvider.class, Devices.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.kind() == DeviceKind.CUDA)
        .findFirst();
  }

  private static UserError noCudaModule() {
    return new UserError(
        "ebb.pool.device 'cuda' cannot be used: ebb-cuda is not on the class path; add it, or use"
            + " 'host'");
  }
}
