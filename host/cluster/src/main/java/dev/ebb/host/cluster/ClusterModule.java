package dev.ebb.host.cluster;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.OptionalBinder;
import dev.ebb.host.cluster.directory.JoinedCluster;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/** Binds this process as a node of a cluster, if the configuration enables it. */
public final class ClusterModule implements Module {

  private static final long LEAST_BYTES = 1 << 20;

  private final ClusterConfig config;

  /** Fails with a {@link UserError} if the configuration of a node contradicts itself. */
  public ClusterModule(EbbConfig config) {
    this.config = config.cluster();
    if (this.config.enabled()) {
      check(config);
    }
  }

  private static void check(EbbConfig config) {
    config.cluster().transferAddress();
    var _ = JoinedCluster.provider();
    if (config.pool().device() == PoolDevice.CUDA) {
      throw new UserError(
          "ebb.cluster.enabled = 'true' needs a pool in host memory; set ebb.pool.device to host");
    }
  }

  @Override
  public void configure(Binder binder) {
    OptionalBinder.newOptionalBinder(binder, DiskValues.class);
    if (config.enabled()) {
      Provider<Optional<ClusterNode>> node =
          binder.getProvider(Key.get(new TypeLiteral<Optional<ClusterNode>>() {}));
      OptionalBinder.newOptionalBinder(binder, RemoteValues.class)
          .setBinding()
          .toProvider(() -> node.get().orElseThrow().remoteValues());
    }
  }

  @Provides
  @Singleton
  Optional<ClusterNode> node(
      Device device, ObjectStore store, Optional<DiskValues> disk, Closer opened) {
    if (!config.enabled()) {
      return Optional.empty();
    }
    double pool = store.stats().capacityBytes() / config.mainShare();
    LocalStores stores =
        new LocalStores(
            store,
            opened.add(store(device, pool, config.replicaMemory())),
            opened.add(store(device, pool, config.readCache())),
            disk.orElse(null));
    return Optional.of(opened.add(ClusterNode.start(config, stores)));
  }

  @Provides
  Optional<ClusterView> view(Optional<ClusterNode> node) {
    return node.map(each -> each);
  }

  private static ObjectStore store(Device device, double pool, double share) {
    long bytes = Math.max(LEAST_BYTES, (long) (pool * share));
    StoreOptions options =
        StoreOptions.of(bytes, Duration.ZERO, new SecureRandom().nextLong())
            .heap(Math.max(1, (long) (Runtime.getRuntime().maxMemory() * share)));
    try {
      return new ObjectStore(device, options, TimeSource.SYSTEM);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }
}
