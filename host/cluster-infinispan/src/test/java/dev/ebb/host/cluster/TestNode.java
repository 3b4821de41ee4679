package dev.ebb.host.cluster;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SetResult;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.tier.DiskStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A node with small stores in this process: real sockets, a real directory. */
final class TestNode implements AutoCloseable {

  private static final int SECONDS = 30;
  private static final double THRESHOLD = 0.9;

  final LocalStores stores;
  final ClusterNode node;
  final @Nullable DiskStore disk;
  private final HostDevice device = new HostDevice();

  /** Joins a cluster whose first node has a port; 0 to be the first. */
  static TestNode join(Path home, String name, String rack, int seed, int port) {
    return join(home, name, rack, seed, port, 16 << 20, "");
  }

  /** Joins with a main store of so many bytes, and other settings of the cluster. */
  static TestNode join(
      Path home, String name, String rack, int seed, int port, long bytes, String settings) {
    return new TestNode(
        config(home, name, rack, seed, port, settings), bytes, UnaryOperator.identity());
  }

  /** Joins with the object groups of some models, whose prompts clients state. */
  static TestNode join(
      Path home,
      String name,
      int seed,
      int port,
      long bytes,
      String settings,
      Map<String, ObjectGroups> models) {
    return new TestNode(
        config(home, name, "rack-" + name, seed, port, settings),
        bytes,
        models,
        UnaryOperator.identity());
  }

  /** Joins with another view of the directory. */
  static TestNode join(
      Path home, String name, String rack, int seed, int port, UnaryOperator<Directory> directory) {
    return new TestNode(config(home, name, rack, seed, port, ""), 16 << 20, directory);
  }

  /** Joins with a file on a disk for values that its main store of some MiB evicts. */
  static TestNode join(Path home, String name, int seed, int port, int mib, Path file) {
    return new TestNode(
        config(home, name, "rack-" + name, seed, port, "replicas = 0"),
        (long) mib << 20,
        Map.of(),
        UnaryOperator.identity(),
        file);
  }

  private static ClusterConfig config(
      Path home, String name, String rack, int seed, int port, String settings) {
    return Configs.of(
            home,
            """
            ebb.cluster {
              enabled = true, node = %s, rack = %s, port = %d, transfer-port = 0
              seeds = ["127.0.0.1:%d"]
              %s
            }
            """
                .formatted(name, rack, port, seed, settings))
        .config()
        .cluster();
  }

  private TestNode(ClusterConfig config, long bytes, UnaryOperator<Directory> directory) {
    this(config, bytes, Map.of(), directory);
  }

  private TestNode(
      ClusterConfig config,
      long bytes,
      Map<String, ObjectGroups> models,
      UnaryOperator<Directory> directory) {
    this(config, bytes, models, directory, null);
  }

  private TestNode(
      ClusterConfig config,
      long bytes,
      Map<String, ObjectGroups> models,
      UnaryOperator<Directory> directory,
      @Nullable Path file) {
    StoreOptions options = StoreOptions.of(bytes, Duration.ZERO, 7).models(models);
    // Evicted ahead of demand, values are written to the disk before their memory is needed.
    EvictionLimits limits = new EvictionLimits(THRESHOLD, 0.85, Duration.ofSeconds(20));
    ObjectStore main =
        new ObjectStore(
            device, file == null ? options : options.threaded(limits, 64), TimeSource.SYSTEM);
    disk = file == null ? null : DiskStore.ofNode(diskConfig(file), main);
    stores = new LocalStores(main, store(8 << 20), store(8 << 20), disk);
    try {
      node = ClusterNode.start(config, stores, directory);
    } catch (UserError refused) {
      closeStores();
      throw refused;
    }
  }

  private static DiskTierConfig diskConfig(Path file) {
    return new DiskTierConfig(
        List.of(file),
        256 << 20,
        1 << 20,
        AdmissionRule.ALL,
        Duration.ofSeconds(20),
        OnStopChoice.SAVE,
        Duration.ofSeconds(20),
        null);
  }

  private ObjectStore store(long bytes) {
    StoreOptions options = StoreOptions.of(bytes, Duration.ZERO, 7);
    return new ObjectStore(device, options, TimeSource.SYSTEM);
  }

  /** Waits until the values that a node with a disk has evicted are on the disk. */
  void awaitRoom() {
    StoreStats first = stores.main().stats();
    Awaiting.until(() ->
        (disk == null || disk.stats().heldBytes() == 0)
            && stores.main().stats().usedBytes() <= first.capacityBytes() * THRESHOLD);
  }

  void set(String key, byte[] value) {
    try (ValueWriter writer = stores.main().write(bytes(key), value.length)) {
      writer.write(ByteBuffer.wrap(value));
      SetResult result = writer.commit(SetOptions.PLAIN);
      if (result.outcome() != SetResult.Outcome.STORED) {
        throw new AssertionError(key + " not stored");
      }
      node.remoteValues().stored(1, bytes(key), result.version());
    }
  }

  /** Reads a value as the server does: here, or on another node. */
  byte @Nullable [] get(String key) {
    return get(key, ByteRange::whole);
  }

  /** Reads some bytes of a value as the server does. */
  byte @Nullable [] get(String key, LongFunction<ByteRange> wanted) {
    ValueReader local = stores.main().get(bytes(key));
    ValuePart part =
        local != null
            ? new ValuePart(local, wanted.apply(local.length()))
            : remote(node.remoteValues().read(List.of(bytes(key)), wanted)).getFirst();
    if (part == null) {
      return null;
    }
    ByteBuffer all = ByteBuffer.allocate((int) part.length());
    while (true) {
      try (ValuePart current = part) {
        for (long at = current.range().from(); at < current.range().to(); ) {
          ByteBuffer piece = current.reader().piece(at, (int) (current.range().to() - at));
          at += piece.remaining();
          all.put(piece);
        }
        if (current.next() == null) {
          return all.array();
        }
        part = remote(current.next().get());
      }
    }
  }

  boolean exists(String key) {
    return stores.main().exists(bytes(key))
        || remote(node.remoteValues().find(List.of(bytes(key)))).getFirst() != null;
  }

  /** Deletes a value as the server does; returns whether there was one. */
  boolean delete(String key) {
    boolean here = stores.main().delete(bytes(key));
    return remote(node.remoteValues().delete(List.of(bytes(key)))).getFirst() || here;
  }

  /** Deletes all values as the server does. */
  void clear() {
    node.remoteValues().clearing();
    stores.main().clear();
    remote(node.remoteValues().clear());
  }

  private static <T> T remote(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(SECONDS, TimeUnit.SECONDS).join();
  }

  static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    node.close();
    closeStores();
  }

  private void closeStores() {
    if (disk != null) {
      disk.close();
    }
    stores.main().close();
    stores.replicas().close();
    stores.readCache().close();
    device.close();
  }
}
