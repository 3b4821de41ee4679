package dev.ebb.host.engine;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PoolConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.pool.KvPool;
import java.util.ArrayList;
import java.util.List;

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
      devices = Devices.open(config.pool());
      devices.forEach(opened::add);
    }
    List<KvPool> pools = new ArrayList<>();
    for (Device device : devices) {
      pools.add(opened.add(pool(config.pool(), device)));
    }
    return pools;
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
