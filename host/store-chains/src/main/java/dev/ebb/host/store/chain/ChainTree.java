package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.store.key.ObjectKey;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which visible value is the child of which: a child is evicted before its parent. A value whose
 * known predecessor is missing is an orphan until that is stored again; it and what is below it
 * cannot be reached. Guarded by the partition's lock.
 */
final class ChainTree {

  private final BlockCache cache;
  private final ValueIndex values;

  /** The first orphan of each missing predecessor; the others are its siblings. */
  final Long2ObjectOpenHashMap<ChainedValue> orphans = new Long2ObjectOpenHashMap<>();

  private int linked;
  private int unreachable;

  ChainTree(BlockCache cache, ValueIndex values) {
    this.cache = cache;
    this.values = values;
  }

  int linked() {
    return linked;
  }

  int unreachable() {
    return unreachable;
  }

  /** Gives a new value the orphans that wait for it. */
  void inserted(ChainedValue value) {
    ChainedValue orphan = orphans.remove(value.key.low());
    while (orphan != null) {
      ChainedValue next = orphan.nextSibling;
      orphan.nextSibling = null;
      orphan.previousSibling = null;
      orphan.predecessor = Predecessors.NONE;
      attach(orphan, value, depth(value) + 1);
      update(orphan, depth(orphan));
      orphan = next;
    }
  }

  /** Makes a value the child of its predecessor, or an orphan until that exists. */
  void await(ChainedValue value, long predecessor) {
    ChainedValue parent = values.at(predecessor);
    if (parent != null) {
      link(value, parent);
    } else {
      orphan(value, predecessor);
    }
  }

  /** Makes a value the child of another one; returns false if that is below the child. */
  boolean link(ChainedValue child, ChainedValue parent) {
    if (child == parent || (child.firstChild != null && isBelow(parent, child))) {
      return false;
    }
    int before = depth(child);
    detach(child);
    attach(child, parent, depth(parent) + 1);
    update(child, depth(child) - before);
    return true;
  }

  /**
   * Makes a value without children one of a group of values that follow another one in an order not
   * known yet, at an assumed depth.
   */
  void join(List<ChainedValue> group, ChainedValue child, ChainedValue parent, int depth) {
    detach(child);
    group.add(child);
    child.group = group;
    attach(child, parent, Math.max(depth, depth(parent) + 1));
    update(child, 0);
  }

  void move(List<ChainedValue> group, ChainedValue parent) {
    List<ChainedValue> rest = List.copyOf(group);
    group.clear();
    for (ChainedValue value : rest) {
      int depth = depth(value);
      value.group = null;
      if (value.firstChild == null) {
        join(group, value, parent, depth);
      } else {
        link(value, requireNonNull(value.parent));
      }
    }
  }

  void unlink(ChainedValue child) {
    int before = depth(child);
    detach(child);
    update(child, -before);
  }

  void orphanChildren(ChainedValue value) {
    while (value.firstChild != null) {
      ChainedValue child = value.firstChild;
      List<ObjectKey> absent = child.before(ChunkContext.MOST_BEFORE);
      orphan(child, value.key.low());
      child.absent = absent;
    }
  }

  /** Forgets a value without children, whose entry the cache has removed. */
  void removed(ChainedValue value) {
    leaveSiblings(value);
    leaveGroup(value);
    if (value.parent != null) {
      value.parent = null;
      linked--;
    }
    value.predecessor = Predecessors.NONE;
    value.absent = List.of();
    if (!value.reachable) {
      unreachable--;
      value.reachable = true;
    }
  }

  private void orphan(ChainedValue value, long predecessor) {
    int before = depth(value);
    detach(value);
    value.predecessor = predecessor;
    precede(value, orphans.put(predecessor, value));
    update(value, -before);
  }

  private static void precede(ChainedValue value, @Nullable ChainedValue sibling) {
    value.nextSibling = sibling;
    if (sibling != null) {
      sibling.previousSibling = value;
    }
  }

  private void attach(ChainedValue child, ChainedValue parent, int depth) {
    child.parent = parent;
    child.absent = List.of();
    precede(child, parent.firstChild);
    parent.firstChild = child;
    linked++;
    cache.link(requireNonNull(child.entry), requireNonNull(parent.entry), depth);
  }

  private static void leaveGroup(ChainedValue value) {
    if (value.group != null) {
      value.group.remove(value);
      value.group = null;
    }
  }

  private void detach(ChainedValue child) {
    leaveSiblings(child);
    child.predecessor = Predecessors.NONE;
    leaveGroup(child);
    if (child.parent != null) {
      child.parent = null;
      linked--;
      cache.unlink(requireNonNull(child.entry));
    }
  }

  private void leaveSiblings(ChainedValue value) {
    ChainedValue next = value.nextSibling;
    ChainedValue previous = value.previousSibling;
    if (next != null) {
      next.previousSibling = previous;
    }
    if (previous != null) {
      previous.nextSibling = next;
    } else if (value.parent != null) {
      value.parent.firstChild = next;
    } else if (value.predecessor != Predecessors.NONE) {
      if (next == null) {
        orphans.remove(value.predecessor);
      } else {
        orphans.put(value.predecessor, next);
      }
    }
    value.nextSibling = null;
    value.previousSibling = null;
  }

  /** Updates what depends on the chain before a value, so much deeper, and all below it. */
  private void update(ChainedValue top, int deeper) {
    ChainedValue value = top;
    while (value != null) {
      ChainedValue parent = value.parent;
      boolean reachable =
          parent == null ? value.predecessor == Predecessors.NONE : parent.reachable;
      if (reachable != value.reachable) {
        value.reachable = reachable;
        unreachable += reachable ? -1 : 1;
      }
      if (value != top) {
        cache.deepen(requireNonNull(value.entry), deeper);
      }
      value = next(value, top);
    }
  }

  /** Returns the next value of the tree below another one, parents first; null at the end. */
  private static @Nullable ChainedValue next(ChainedValue value, ChainedValue top) {
    if (value.firstChild != null) {
      return value.firstChild;
    }
    ChainedValue on = value;
    while (on != top && on.nextSibling == null) {
      on = requireNonNull(on.parent);
    }
    return on == top ? null : on.nextSibling;
  }

  private static int depth(ChainedValue value) {
    return requireNonNull(value.entry).depth();
  }

  /** Returns whether a value is another one, or below it. */
  static boolean isBelow(ChainedValue value, ChainedValue top) {
    ChainedValue on = value;
    while (on != null && on != top) {
      on = on.parent;
    }
    return on == top;
  }
}
