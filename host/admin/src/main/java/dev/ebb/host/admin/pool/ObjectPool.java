package dev.ebb.host.admin.pool;

import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.engine.EngineView;
import dev.ebb.host.engine.PoolView;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.value.MemoryMap;
import dev.ebb.host.store.value.MemoryUse;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pool operations on clients' values, and the memory of sequences of engines in other processes.
 * The values are on one device, and clients map both, so nothing moves.
 */
public final class ObjectPool implements PoolOperations {

  private final ObjectStore store;
  private final Supplier<@Nullable EngineView> sequences;

  /**
   * Creates the operations.
   *
   * @param sequences returns null before an engine has stated its model
   */
  public ObjectPool(ObjectStore store, Supplier<@Nullable EngineView> sequences) {
    this.store = store;
    this.sequences = sequences;
  }

  private Stream<PoolView> ofSequences() {
    return Stream.ofNullable(sequences.get()).flatMap(engine -> engine.pools().stream());
  }

  @Override
  public List<PoolDocument> pools() {
    List<PartitionStats> stats = store.partitions();
    List<MemoryMap.Summary> memory = store.memory();
    return Stream.concat(
            IntStream.range(0, stats.size())
                .mapToObj(
                    part -> PoolDocument.of(store.device(), memory.get(part), stats.get(part))),
            ofSequences().map(pool -> PoolDocument.of(pool, ServerConfig.SEQUENCES_PART)))
        .toList();
  }

  @Override
  public List<PoolPicture> maps(@Nullable String device, int cells) {
    check(device);
    return Stream.concat(
            store.maps().stream()
                .map(map -> PoolPicture.of(map.name(), map, cells, MemoryUse::symbol)),
            ofSequences()
                .map(pool -> EnginePools.picture(pool, cells, ServerConfig.SEQUENCES_PART)))
        .toList();
  }

  private void check(@Nullable String device) {
    String own = store.device().name();
    if (device != null && !device.equals(own)) {
      throw new UserError("no device '%s'; clients' values are on '%s'".formatted(device, own));
    }
  }

  @Override
  public List<CompactionDocument> defrag(@Nullable String device, long bytes) {
    check(device);
    throw new UserError(
        "a pool of clients' values needs no compaction: a value takes blocks wherever they are"
            + " free");
  }

  @Override
  public MigrationDocument migrateSequence(long sequence, String device, boolean checksum) {
    throw staysHere();
  }

  @Override
  public List<MigrationDocument> migrateBlocks(
      int[] blocks, String from, String device, boolean checksum) {
    throw staysHere();
  }

  private static UserError staysHere() {
    return new UserError(
        "clients' values are on one device: there is no other to move them to; sequences of an"
            + " embedded engine move");
  }

  @Override
  public List<MigrationDocument> migrations() {
    return List.of();
  }

  @Override
  public Optional<MigrationDocument> migration(long id) {
    return Optional.empty();
  }
}
