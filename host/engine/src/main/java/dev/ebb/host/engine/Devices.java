package dev.ebb.host.engine;

import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceProvider;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Opens the devices that {@code ebb.pool.device} names. */
final class Devices {

  private Devices() {}

  static List<Device> open(PoolDevice wanted) {
    return switch (wanted) {
      case HOST -> List.of(new HostDevice());
      case CUDA -> cuda().orElseThrow(Devices::noCudaModule).require();
      case AUTO -> {
        List<Device> cards = usableCards();
        yield cards.isEmpty() ? List.of(new HostDevice()) : cards;
      }
      case ALL -> {
        List<Device> all = new ArrayList<>(usableCards());
        all.add(new HostDevice());
        yield all;
      }
    };
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
