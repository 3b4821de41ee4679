package dev.ebb.host.switching;

import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.PartitionSpec;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A store with policies from real JARs, as a serving process has it, without servers. */
final class StoreBench implements AutoCloseable {

  private final HostDevice device = new HostDevice();
  final Host host;
  final ObjectStore store;
  final PolicySwitcher switcher;
  final PluginReloads reloads;

  StoreBench(Path home, String settings, List<PartitionSpec> parts) {
    Configs.plugins(home);
    host = Host.open(Configs.of(home, settings));
    StoreOptions options =
        new StoreOptions(parts, Duration.ZERO, 0.2, 1)
            .threaded(new EvictionLimits(0.9, 0.8, Duration.ofSeconds(2)), 64);
    store = new ObjectStore(device, options, TimeSource.SYSTEM);
    switcher =
        new PolicySwitcher(
            host.pluginHost(), host.policies(), store.site(), new PolicyStates(null));
    reloads =
        new PluginReloads(
            host.pluginHost(), switcher, () -> host.config().eviction().policy().name());
  }

  @Override
  public void close() {
    switcher.close();
    store.close();
    host.close();
    device.close();
  }
}
