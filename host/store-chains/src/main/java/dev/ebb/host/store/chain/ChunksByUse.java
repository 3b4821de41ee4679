package dev.ebb.host.store.chain;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.store.key.ChunkKeys;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a partition in the order in which they are worth most: prompt by prompt from the
 * front, the last used prompt first. Objects that no prompt has needed yet follow after all chunks,
 * and last comes what no prompt can use.
 */
public final class ChunksByUse {

  private final Long2ObjectOpenHashMap<Chunk> chunks = new Long2ObjectOpenHashMap<>();

  private static final class Chunk {

    private final long parent;
    private final long tick;
    private final boolean reachable;
    private final List<byte[]> needed = new ArrayList<>();
    private final List<byte[]> spare = new ArrayList<>();
    private boolean listed;

    private Chunk(ChainedValue value, CacheEntry entry) {
      parent = value.parent == null ? Predecessors.NONE : value.parent.key.low();
      tick = entry.lastTick;
      reachable = value.reachable;
    }
  }

  public void add(ChainedValue value) {
    CacheEntry entry = value.entry;
    if (entry == null) {
      return;
    }
    Chunk chunk = new Chunk(value, entry);
    ChunkParts parts = entry.parts();
    for (ChainedValue object : value.objects()) {
      boolean spare = parts != null && parts.isSpare(object.key.labels().group());
      (spare ? chunk.spare : chunk.needed).add(ChunkKeys.mainKey(object.key.bytes()));
    }
    chunks.put(value.key.low(), chunk);
  }

  public List<byte[]> keys() {
    List<Chunk> ordered = ordered();
    List<byte[]> keys = new ArrayList<>();
    for (boolean reachable : new boolean[] {true, false}) {
      ordered.stream()
          .filter(chunk -> chunk.reachable == reachable)
          .forEach(chunk -> keys.addAll(chunk.needed));
      ordered.stream()
          .filter(chunk -> chunk.reachable == reachable)
          .forEach(chunk -> keys.addAll(chunk.spare));
    }
    return keys;
  }

  private List<Chunk> ordered() {
    List<Chunk> recent = new ArrayList<>(chunks.values());
    recent.sort(Comparator.comparingLong((Chunk chunk) -> chunk.tick).reversed());
    List<Chunk> ordered = new ArrayList<>(recent.size());
    Deque<Chunk> prompt = new ArrayDeque<>();
    for (Chunk last : recent) {
      for (@Nullable Chunk on = last; on != null && !on.listed; on = chunks.get(on.parent)) {
        on.listed = true;
        prompt.push(on);
      }
      ordered.addAll(prompt);
      prompt.clear();
    }
    return ordered;
  }
}
