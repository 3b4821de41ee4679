package dev.ebb.host.tier;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.resp.RespOptions;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.testing.Awaiting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server with a small pool and a disk tier, on a free port. */
record TieredServer(HostDevice device, ObjectStore store, DiskStore tier, RespServer server)
    implements AutoCloseable {

  static final long POOL = 8 << 20;
  static final long REGION = 1 << 20;
  private static final double THRESHOLD = 0.9;

  static DiskTierConfig config(Path file, long size, OnStopChoice onStop) {
    return config(List.of(file), size, onStop);
  }

  static DiskTierConfig config(List<Path> files, long size, OnStopChoice onStop) {
    return config(files, size, onStop, null);
  }

  static DiskTierConfig config(
      List<Path> files, long size, OnStopChoice onStop, @Nullable Path keyFile) {
    return new DiskTierConfig(
        files,
        size,
        REGION,
        AdmissionRule.ALL,
        Duration.ofSeconds(20),
        onStop,
        Duration.ofSeconds(20),
        keyFile);
  }

  /** A server whose disk holds 64 MiB, and gets the values in memory at a stop. */
  static TieredServer of(Path file) {
    return of(config(file, 64 << 20, OnStopChoice.SAVE));
  }

  static TieredServer of(DiskTierConfig config) {
    HostDevice device = new HostDevice();
    StoreOptions options =
        StoreOptions.of(POOL, Duration.ZERO, 17)
            .chains(ChainKeys.AUTO)
            .threaded(new EvictionLimits(THRESHOLD, 0.85, Duration.ofSeconds(20)), 64);
    ObjectStore store = new ObjectStore(device, options, TimeSource.SYSTEM);
    DiskStore tier = DiskStore.open(config, store);
    RespOptions resp =
        new RespOptions(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            null,
            null,
            null,
            List.of(),
            RespOptions.DEFAULT_MAX_VALUE_BYTES,
            false,
            2,
            ClientLimits.defaults(),
            PriorityScale.LARGER_FIRST);
    return new TieredServer(
        device, store, tier, RespServer.start(store, tier, RequestRouter.NONE, resp));
  }

  /** Waits until memory has room, so that no client has to wait for an eviction. */
  void awaitRoom() {
    Awaiting.until(
        () -> tier.stats().heldBytes() == 0 && store.stats().usedBytes() <= POOL * THRESHOLD);
  }

  TestClient client() {
    return new TestClient(server.address().getPort());
  }

  @Override
  public void close() {
    server.close();
    tier.close();
    store.close();
    device.close();
  }
}
