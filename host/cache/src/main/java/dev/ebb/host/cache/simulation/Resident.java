package dev.ebb.host.cache.simulation;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.group.SizedGroups;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a live cache, from which a simulation starts.
 *
 * @param depth its depth in the live cache
 * @param tick when it was used last
 * @param before the key of the sampled entry before it in its chain; null if there is none
 * @param parts the objects that it has, if its model is hybrid: the weight of a missing one is 0
 */
public record Resident(
    long key,
    int blocks,
    RequestFacts facts,
    int depth,
    long tick,
    @Nullable Long before,
    @Nullable SizedGroups parts) {

  /** Reads an entry of a live cache, under its lock, with the sampled entry before it. */
  public static Resident of(CacheEntry entry, @Nullable CacheEntry before) {
    return new Resident(
        entry.fingerprint(),
        entry.blocks(),
        entry.lastUse(),
        entry.depth(),
        entry.lastAccessTick(),
        before == null ? null : before.fingerprint(),
        parts(entry.parts()));
  }

  private static @Nullable SizedGroups parts(@Nullable ChunkParts of) {
    return of == null
        ? null
        : new SizedGroups(
            of.groups(), IntStream.range(0, of.groups().size()).mapToObj(of::weight).toList());
  }
}
