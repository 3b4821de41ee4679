package dev.ebb.host.admin;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.MemoryMap;
import dev.ebb.host.store.MemoryUse;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.PartitionStats;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The pool that holds clients' values. It is in host memory, and nothing in it ever moves. */
final class ObjectPool implements PoolOperations {

  private static final String DEVICE = "host";

  private final ObjectStore store;

  ObjectPool(ObjectStore store) {
    this.store = store;
  }

  /**
   * A part of the pool.
   *
   * @param device where it is
   * @param partition its name
   * @param policy the active eviction policy
   * @param blocks how many it has
   * @param freeBlocks how many nobody has
   * @param smallBlocks how many small values share
   * @param blockBytes the size of one
   * @param utilisation the share of blocks that somebody has
   * @param fragmentation the share of free blocks in short runs
   * @param largestFreeRun the longest run of free ones
   * @param usedBytes charged to values
   * @param evictableBytes could be freed now
   */
  private record Part(
      String device,
      String partition,
      String policy,
      int blocks,
      int freeBlocks,
      int smallBlocks,
      int blockBytes,
      double utilisation,
      double fragmentation,
      int largestFreeRun,
      long usedBytes,
      long evictableBytes) {

    static Part of(MemoryMap.Summary memory, PartitionStats stats) {
      return new Part(
          DEVICE,
          memory.name(),
          stats.cache().policy(),
          memory.blocks(),
          memory.freeBlocks(),
          memory.smallBlocks(),
          memory.blockBytes(),
          1 - (double) memory.freeBlocks() / memory.blocks(),
          memory.fragmentation(),
          memory.largestFreeRun(),
          stats.numbers().usedBytes(),
          stats.cache().evictableBlocks() * ObjectStore.UNIT_BYTES);
    }
  }

  @Override
  public List<?> pools() {
    List<PartitionStats> stats = store.partitions();
    List<MemoryMap.Summary> memory = store.memory();
    return IntStream.range(0, stats.size())
        .mapToObj(part -> Part.of(memory.get(part), stats.get(part)))
        .toList();
  }

  @Override
  public List<PoolPicture> maps(@Nullable String device, int cells) {
    check(device);
    return store.maps().stream()
        .map(map -> PoolPicture.of(map.name(), map, cells, MemoryUse::symbol))
        .toList();
  }

  private static void check(@Nullable String device) {
    if (device != null && !device.equals(DEVICE)) {
      throw new UserError("no device '%s'; clients' values are on 'host'".formatted(device));
    }
  }

  @Override
  public List<Compacted> defrag(@Nullable String device, long bytes) {
    check(device);
    throw new UserError(
        "a pool of clients' values needs no compaction: a value takes blocks wherever they are free");
  }

  @Override
  public Object migrateSequence(long sequence, String device, boolean checksum) {
    throw staysHere();
  }

  @Override
  public List<?> migrateBlocks(int[] blocks, String from, String device, boolean checksum) {
    throw staysHere();
  }

  private static UserError staysHere() {
    return new UserError(
        "clients' values are in host memory only: there is no other device to move them to; sequences of an embedded engine move");
  }

  @Override
  public List<?> migrations() {
    return List.of();
  }

  @Override
  public Optional<?> migration(long id) {
    return Optional.empty();
  }
}
