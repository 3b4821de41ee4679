package dev.ebb.host.kvevents;

import dev.ebb.host.group.ObjectGroup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chunks that were published without tokens, because the engine's event had not arrived yet. Of too
 * many, the first are forgotten. Thread-safe.
 */
final class WaitingChunks {

  private final int most;

  /** The chunks by their hash. */
  private final Map<Long, Waiting> waiting = new LinkedHashMap<>();

  /** From the hash of a missing block to that of the chunk that needs it. */
  private final Map<Long, Long> missing = new LinkedHashMap<>();

  WaitingChunks(int most) {
    this.most = most;
  }

  /**
   * A stored chunk.
   *
   * @param key its key; empty if it is not known
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Chunk(ChunkId id, byte[] key, BlockAnnouncer.Tier tier, ObjectGroup.@Nullable Kind kind) {}

  /** All values with the same hash. */
  private static final class Waiting {
    final List<Chunk> chunks = new ArrayList<>();
    final Set<Long> blocks = new HashSet<>();
  }

  /** Lets a chunk wait for a block. To be called before the block is looked up. */
  synchronized void await(Chunk chunk, long block) {
    if (most == 0) {
      return;
    }
    long hash = chunk.id().hash();
    Waiting entry = waiting.computeIfAbsent(hash, any -> new Waiting());
    if (!entry.chunks.contains(chunk)) {
      entry.chunks.add(chunk);
    }
    entry.blocks.add(block);
    missing.put(block, hash);
    if (waiting.size() > most) {
      forget(waiting.keySet().iterator().next());
    }
  }

  /** Ends the waiting of a chunk whose blocks are known. */
  synchronized void found(Chunk chunk) {
    remove(chunk.id().hash(), chunk.tier());
  }

  /** Ends the waiting of a chunk that was removed. */
  synchronized void remove(long hash, BlockAnnouncer.Tier tier) {
    Waiting entry = waiting.get(hash);
    if (entry != null) {
      entry.chunks.removeIf(chunk -> chunk.tier().equals(tier));
      if (entry.chunks.isEmpty()) {
        forget(hash);
      }
    }
  }

  /** Returns the chunks with a hash, which wait no longer. */
  synchronized List<Chunk> take(long hash) {
    Waiting entry = waiting.get(hash);
    if (entry == null) {
      return List.of();
    }
    forget(hash);
    return entry.chunks;
  }

  /** Returns the hash of the chunk that a block is missing for; null if there is none. */
  synchronized @Nullable Long waitsFor(long block) {
    return missing.remove(block);
  }

  synchronized void clear() {
    waiting.clear();
    missing.clear();
  }

  private void forget(long hash) {
    Waiting entry = waiting.remove(hash);
    if (entry != null) {
      entry.blocks.forEach(block -> missing.remove(block, hash));
    }
  }
}
