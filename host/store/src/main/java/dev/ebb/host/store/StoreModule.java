package dev.ebb.host.store;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PoolDevice;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import java.nio.file.Path;
import java.security.SecureRandom;

/** Binds the store of clients' values, and the memory that it is in. */
public final class StoreModule implements Module {

  /** The one module of its kind. */
  public StoreModule() {}

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  HostDevice device(EbbConfig config, Closer opened) {
    return opened.add(device(config));
  }

  @Provides
  MemoryMonitor memory(HostDevice device) {
    return device.memory();
  }

  @Provides
  @Singleton
  ObjectStore store(EbbConfig config, HostDevice device, Closer opened) {
    return opened.add(open(config, device));
  }

  @Provides
  PolicySite site(ObjectStore store) {
    return store.site();
  }

  /**
   * Checks that the store can be on the configured device.
   *
   * @param config the configuration
   * @throws UserError if it wants a GPU
   */
  public static void requireHostMemory(EbbConfig config) {
    if (config.pool().device() == PoolDevice.CUDA) {
      throw new UserError(
          "ebb.pool.device = 'cuda': clients' values are held in host memory only; set it to auto"
              + " or host");
    }
  }

  /**
   * Creates the device of a store.
   *
   * @param config names the folder of the memory, if clients map it
   * @return to be closed
   * @throws UserError if the folder cannot be used
   */
  public static HostDevice device(EbbConfig config) {
    Path folder = config.server().sharedMemory();
    try {
      return folder == null ? new HostDevice() : HostDevice.sharedIn(folder);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }

  /**
   * Opens a store.
   *
   * @param config how large it is, and what it does when it is full
   * @param device where it is
   * @return to be closed before the device
   * @throws UserError if it does not fit
   */
  public static ObjectStore open(EbbConfig config, HostDevice device) {
    long bytes = config.pool().size().bytesOf(device.memory().availableBytes());
    EvictionConfig eviction = config.eviction();
    EvictionLimits limits =
        new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
    StoreOptions options =
        new StoreOptions(
                PoolParts.of(bytes, config.tenants()),
                eviction.ttl(),
                eviction.pinBudget(),
                new SecureRandom().nextLong())
            .lookupLease(config.server().lookupLease())
            .threaded(limits, eviction.logSize())
            .heap(Runtime.getRuntime().maxMemory());
    try {
      return new ObjectStore(device, options, TimeSource.SYSTEM);
    } catch (DeviceException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }
}
