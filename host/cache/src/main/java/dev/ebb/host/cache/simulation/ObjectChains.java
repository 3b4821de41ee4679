package dev.ebb.host.cache.simulation;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which object of a simulated cache follows which one in the requests of the live cache. */
final class ObjectChains {

  private final BlockCache cache;
  private final IdentityHashMap<CacheEntry, Set<CacheEntry>> children = new IdentityHashMap<>();

  ObjectChains(BlockCache cache) {
    this.cache = cache;
    cache.onRemoval((entry, cause) -> {
      CacheEntry parent = entry.parent();
      if (parent != null) {
        leave(entry, parent);
      }
    });
  }

  /**
   * Makes an object the child of another one, or of none; false if that is the same or below it.
   */
  boolean link(CacheEntry child, @Nullable CacheEntry parent) {
    CacheEntry former = child.parent();
    if (former == parent) {
      return true;
    }
    if (parent == child
        || (parent != null && children.containsKey(child) && isBelow(parent, child))) {
      return false;
    }
    int before = child.depth();
    if (former != null) {
      leave(child, former);
      cache.unlink(child);
    }
    if (parent != null) {
      cache.link(child, parent, parent.depth() + 1);
      linked(child, parent);
    }
    deepen(child, child.depth() - before);
    return true;
  }

  /** Makes an object the first of its chain if it is below another one; false if it is not. */
  boolean lift(CacheEntry object, CacheEntry above) {
    return object != above && isBelow(object, above) && link(object, null);
  }

  /** Records that the cache has made an object the child of another one. */
  void linked(CacheEntry child, CacheEntry parent) {
    children
        .computeIfAbsent(parent, any -> Collections.newSetFromMap(new IdentityHashMap<>()))
        .add(child);
  }

  /** Makes each child of an object the first of a chain, so that the object can be removed. */
  void unlinkChildren(CacheEntry entry) {
    List.copyOf(children.getOrDefault(entry, Set.of())).forEach(child -> link(child, null));
  }

  private void leave(CacheEntry child, CacheEntry parent) {
    Set<CacheEntry> siblings = children.get(parent);
    if (siblings != null && siblings.remove(child) && siblings.isEmpty()) {
      children.remove(parent);
    }
  }

  private void deepen(CacheEntry top, int blocks) {
    Deque<CacheEntry> below = new ArrayDeque<>(children.getOrDefault(top, Set.of()));
    while (blocks != 0 && !below.isEmpty()) {
      CacheEntry entry = below.removeLast();
      cache.deepen(entry, blocks);
      below.addAll(children.getOrDefault(entry, Set.of()));
    }
  }

  private static boolean isBelow(CacheEntry entry, CacheEntry top) {
    CacheEntry on = entry;
    while (on != null && on != top) {
      on = on.parent();
    }
    return on == top;
  }
}
