package dev.ebb.host.store;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.config.server.UserConfig;
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
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.TenantPrefix;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Binds the store of clients' values, and the memory that it is in. */
public final class StoreModule implements Module {

  public StoreModule() {}

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  Device device(EbbConfig config, Closer opened) {
    return opened.add(device(config));
  }

  @Provides
  MemoryMonitor memory(Device device) {
    return device.memory();
  }

  @Provides
  @Singleton
  ObjectStore store(EbbConfig config, Device device, Closer opened) {
    return opened.add(open(config, device));
  }

  @Provides
  PolicySite site(ObjectStore store) {
    return store.site();
  }

  /** Creates the device of a store: the memory may be in a folder from which clients map it. */
  public static Device device(EbbConfig config) {
    Path folder = config.server().sharedMemory();
    if (config.pool().device() == PoolDevice.CUDA) {
      if (folder != null) {
        throw new UserError(
            "ebb.server.shared-memory = '%s' is for a pool in host memory; remove it, or set ebb.pool.device to host"
                .formatted(folder));
      }
      return firstGpu();
    }
    NumaPlacement placement =
        switch (config.pool().numa()) {
          case LOCAL -> NumaPlacement.local(NumaTopology.read());
          case INTERLEAVE -> NumaPlacement.interleaved(NumaTopology.read());
          case OFF -> NumaPlacement.DEFAULT;
        };
    try {
      return folder == null ? new HostDevice(placement) : HostDevice.sharedIn(folder, placement);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }

  private static Device firstGpu() {
    DeviceProvider provider =
        ServiceLoader.load(DeviceProvider.class, StoreModule.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.kind() == DeviceKind.CUDA)
            .findFirst()
            .orElseThrow(() ->
                new UserError(
                    "ebb.pool.device = 'cuda' cannot be used: ebb-cuda is not on the class path;"
                        + " add it, or use 'host'"));
    List<Device> gpus = provider.require();
    gpus.subList(1, gpus.size()).forEach(Device::close);
    return gpus.getFirst();
  }

  /** Opens a store, to be closed before the device. Fails if it does not fit. */
  public static ObjectStore open(EbbConfig config, Device device) {
    long pool = config.pool().size().bytesOf(device.memory().availableBytes());
    // The cluster opens stores of its own for the rest, whose keys need the rest of the heap.
    double share = config.cluster().mainShare();
    long bytes = (long) (pool * share);
    EvictionConfig eviction = config.eviction();
    EvictionLimits limits =
        new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
    StoreOptions options =
        new StoreOptions(
                PartitionSpec.divide(bytes, config.tenants()),
                eviction.ttl(),
                eviction.pinBudget(),
                new SecureRandom().nextLong())
            .lookupLease(config.server().lookupLease())
            .chains(ChainKeys.of(config.server().chains()))
            .models(config.server().models())
            .threaded(limits, eviction.logSize())
            .respectPriority(eviction.respectPriority())
            .tenantPrefixes(tenantPrefixes(config.server().users()))
            .heap((long) (Runtime.getRuntime().maxMemory() * share));
    try {
      return new ObjectStore(device, options, TimeSource.SYSTEM);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }

  private static List<TenantPrefix> tenantPrefixes(List<UserConfig> users) {
    List<TenantPrefix> prefixes = new ArrayList<>();
    for (UserConfig user : users) {
      String tenant = user.tenant();
      if (tenant != null) {
        user.prefixes().forEach(prefix -> prefixes.add(new TenantPrefix(prefix, tenant)));
      }
    }
    return prefixes;
  }
}
