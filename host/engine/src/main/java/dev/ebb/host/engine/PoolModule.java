package dev.ebb.host.engine;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PoolConfig;
import dev.ebb.host.config.PoolNuma;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceProvider;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.numa.NumaPlacement;
import dev.ebb.host.numa.NumaTopology;
import dev.ebb.host.pool.KvPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Binds the KV pools: one on each device that the configuration names or the caller has opened. */
final class PoolModule implements Module {

  private final EbbOptions options;
  private final List<Device> given;

  /** Binds pools on the given devices; with none, on those that the configuration names. */
  PoolModule(EbbOptions options, List<Device> given) {
    this.options = options;
    this.given = given;
  }

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  List<KvPool> pools(EbbConfig config, Closer opened) {
    List<Device> devices = given;
    if (given.isEmpty()) {
      devices = open(config.pool());
      devices.forEach(opened::add);
    }
    List<KvPool> pools = new ArrayList<>();
    for (Device device : devices) {
      pools.add(opened.add(pool(config.pool(), device)));
    }
    return pools;
  }

  private static List<Device> open(PoolConfig config) {
    return switch (config.device()) {
      case HOST -> List.of(host(config.numa()));
      case CUDA -> cuda().orElseThrow(PoolModule::noCudaModule).require();
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
    return ServiceLoader.load(DeviceProvider.class, PoolModule.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.kind() == DeviceKind.CUDA)
        .findFirst();
  }

  private static UserError noCudaModule() {
    return new UserError(
        "ebb.pool.device 'cuda' cannot be used: ebb-cuda is not on the class path; add it, or use"
            + " 'host'");
  }

  private KvPool pool(PoolConfig config, Device device) {
    long bytes = config.size().bytesOf(device.memory().availableBytes());
    KvPool pool = KvPool.open(options.layout(), device, bytes, config.defrag().shortRun());
    int groups = options.layout().laneGroups();
    if (pool.blocks() < groups) {
      int blocks = pool.blocks();
      pool.close();
      throw new DeviceException(
          "a pool of '%d' blocks has fewer than the '%d' lane groups; enlarge ebb.pool.size"
              .formatted(blocks, groups));
    }
    return pool;
  }

  @Provides
  MemoryMonitor memory(List<KvPool> pools) {
    return pools.getFirst().device().memory();
  }
}
