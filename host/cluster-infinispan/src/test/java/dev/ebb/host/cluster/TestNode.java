package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.config.ClusterConfig;
import dev.ebb.host.config.Configs;
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

  final LocalStores stores;
  final ClusterNode node;
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
    stores = new LocalStores(store(bytes, models), store(8 << 20), store(8 << 20));
    try {
      node = ClusterNode.start(config, stores, directory);
    } catch (UserError refused) {
      closeStores();
      throw refused;
    }
  }

  private ObjectStore store(long bytes) {
    return store(bytes, Map.of());
  }

  private ObjectStore store(long bytes, Map<String, ObjectGroups> models) {
    StoreOptions options = StoreOptions.of(bytes, Duration.ZERO, 7).models(models);
    return new ObjectStore(device, options, TimeSource.SYSTEM);
  }

  void set(String key, byte[] value) {
    try (ValueWriter writer = stores.main().write(bytes(key), value.length)) {
      writer.write(ByteBuffer.wrap(value));
      if (writer.commit(SetOptions.PLAIN).outcome() != SetResult.Outcome.STORED) {
        throw new AssertionError(key + " not stored");
      }
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
    stores.main().close();
    stores.replicas().close();
    stores.readCache().close();
    device.close();
  }
}
