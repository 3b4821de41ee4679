package dev.ebb.host.engine.pool;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.errors.UserError;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operators' pins on the blocks of one device. A pin keeps a block and all before it, within a
 * budget that charges each kept block once. Under the engine's lock.
 */
public final class BlockPins {

  private final BlockCache cache;
  private final Map<CacheEntry, List<CachedBlock.Pin>> pins = new LinkedHashMap<>();

  /** The share of the cache's capacity that pins may keep, 0 to 1. */
  public double budget;

  public BlockPins(BlockCache cache, double budget) {
    this.cache = cache;
    this.budget = budget;
  }

  /** Pins a block; an existing pin of the owner gets the new end. */
  public void pin(CacheEntry entry, CachedBlock.Pin pin) {
    Set<CacheEntry> kept = kept();
    addPath(kept, entry);
    long most = (long) (budget * cache.capacityBlocks());
    if (kept.size() > most) {
      throw new UserError(
          "the pin budget of '%d' blocks does not hold this prefix: '%d' blocks would be pinned; unpin something, or raise ebb.eviction.pin-budget"
              .formatted(most, kept.size()));
    }
    List<CachedBlock.Pin> all = new ArrayList<>(of(entry));
    all.removeIf(old -> old.owner().equals(pin.owner()));
    all.add(pin);
    if (pins.put(entry, List.copyOf(all)) == null) {
      cache.pin(entry);
    }
  }

  /** Removes an owner's pin of a block, or all for null. Returns whether there was one. */
  public boolean unpin(CacheEntry entry, @Nullable String owner) {
    return removeIf(entry, pin -> owner == null || pin.owner().equals(owner));
  }

  /** Removes the pins that are over. */
  public void expire(Instant now) {
    List.copyOf(pins.keySet()).forEach(entry -> removeIf(entry, pin -> pin.isOver(now)));
  }

  private boolean removeIf(CacheEntry entry, Predicate<CachedBlock.Pin> over) {
    List<CachedBlock.Pin> left = new ArrayList<>(of(entry));
    boolean removed = left.removeIf(over);
    if (removed && left.isEmpty()) {
      pins.remove(entry);
      cache.unpin(entry);
    } else if (removed) {
      pins.put(entry, List.copyOf(left));
    }
    return removed;
  }

  public List<CachedBlock.Pin> of(CacheEntry entry) {
    return pins.getOrDefault(entry, List.of());
  }

  public Set<CacheEntry> entries() {
    return pins.keySet();
  }

  /** Returns the pinned blocks and all before them. */
  public Set<CacheEntry> kept() {
    Set<CacheEntry> kept = new HashSet<>();
    pins.keySet().forEach(entry -> addPath(kept, entry));
    return kept;
  }

  private static void addPath(Set<CacheEntry> kept, CacheEntry entry) {
    for (CacheEntry on = entry; on != null && kept.add(on); ) {
      on = on.parent();
    }
  }
}
