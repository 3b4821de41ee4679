package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheEntry;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Orders and links the values of requests. Where no lookup has shown what precedes a value, it
 * guesses. Guarded by the partition's lock.
 */
final class ChainLinker {

  /** How surely values must have been stored in order for an unknown order to be taken for that. */
  private static final double TRUSTED = 0.6;

  private static final double WEIGHT = 1.0 / 64;

  private final ValueIndex values;
  private final Predecessors predecessors;
  private final ChainTree tree;

  /** How often in a row, lately, values were stored in the order of their chain; 0 to 1. */
  private double inOrder;

  ChainLinker(ValueIndex values, Predecessors predecessors, ChainTree tree) {
    this.values = values;
    this.predecessors = predecessors;
    this.tree = tree;
  }

  /** Puts the values that a request made behind its other keys, in the order that is known. */
  void order(ObservedRequest ended, List<ChainedValue> made) {
    Long2ObjectOpenHashMap<ChainedValue> known = new Long2ObjectOpenHashMap<>();
    List<ChainedValue> unknown = new ArrayList<>();
    LongOpenHashSet placed = new LongOpenHashSet();
    for (int i = 0; i < ended.size(); i++) {
      placed.add(ended.low(i));
    }
    for (ChainedValue value : made) {
      long low = value.key.low();
      if (!placed.add(low)) {
        continue;
      }
      if (predecessors.seen(low) == 0) {
        unknown.add(value);
      } else {
        known.put(predecessors.before(low), value);
      }
    }
    int taken = 0;
    while (true) {
      ChainedValue next = known.remove(ended.lastLow());
      if (next == null && taken < unknown.size()) {
        next = unknown.get(taken++);
      }
      if (next == null) {
        return;
      }
      ended.add(next.key.low(), next.key.high());
    }
  }

  /** Returns the resident entries of a request from the front, after linking each to the next. */
  List<CacheEntry> path(ObservedRequest ended) {
    List<CacheEntry> path = new ArrayList<>(ended.size());
    List<ChainedValue> group = new ArrayList<>();
    List<ChainedValue> left = group;
    ChainedValue lastLeft = null;
    ChainedValue first = null;
    ChainedValue parent = null;
    for (int i = 0; i < ended.size(); i++) {
      ChainedValue value = values.at(ended.low(i));
      if (value == null || (value.request != null && value.request != ended)) {
        break;
      }
      boolean guess =
          !ended.stated
              && !ended.isTiled()
              && value.request == ended
              && predecessors.seen(value.key.low()) == 0;
      List<ChainedValue> former = value.group;
      if (guess && parent != null && value.firstChild == null) {
        boolean trusted = inOrder > TRUSTED;
        tree.join(group, value, parent, i);
        parent = trusted ? value : parent;
        ended.ordered = trusted ? ended.ordered : Math.min(ended.ordered, i);
      } else if (ended.isTiled()) {
        if (parent == null) {
          first = value;
        } else {
          linkTiled(value, parent, requireNonNull(first));
        }
        parent = value;
      } else if (parent == null ? isRoot(value) : follows(value, parent)) {
        parent = value;
        if (former != null && value.group == null) {
          left = former;
          lastLeft = value;
        }
      } else {
        break;
      }
      values.regroup(value);
      path.add(requireNonNull(value.entry));
    }
    if (lastLeft != null && inOrder <= TRUSTED) {
      tree.move(left, lastLeft);
    }
    return path;
  }

  private boolean isRoot(ChainedValue value) {
    long linkedTo = value.parent == null ? value.predecessor : value.parent.key.low();
    if (linkedTo == Predecessors.NONE) {
      return true;
    }
    long low = value.key.low();
    int seen = predecessors.seen(low);
    long predecessor = predecessors.before(low);
    boolean wrong =
        predecessor == Predecessors.NONE
            ? seen > 1
            : value.group == null && predecessor != linkedTo;
    if (wrong) {
      tree.unlink(value);
    }
    return wrong;
  }

  /** Returns whether a value is the child of another one, after making it that if it seems so. */
  private boolean follows(ChainedValue child, ChainedValue parent) {
    if (child.parent == parent && child.group == null) {
      return true;
    }
    long low = child.key.low();
    int seen = predecessors.seen(low);
    if (seen > 0 && predecessors.before(low) != parent.key.low()) {
      return false;
    }
    List<ChainedValue> group = child.group;
    if (group != null && group.size() > 1) {
      inOrder += WEIGHT * ((group.getFirst() == child ? 1 : 0) - inOrder);
    }
    // A guess, or a first sign, does not move what hangs together already.
    boolean movable = child.parent == null ? child.firstChild == null : child.group != null;
    return (movable || seen > 1) && tree.link(child, parent);
  }

  /**
   * Makes a value of a prompt whose chunks were looked up at once the child of the one before it:
   * policies link what they receive in the same order. If an earlier guess has put the prompt's
   * first value behind the child, that guess is undone.
   */
  void linkTiled(ChainedValue child, ChainedValue parent, ChainedValue first) {
    long low = child.key.low();
    boolean elsewhere = predecessors.isSure(low) && predecessors.before(low) != parent.key.low();
    if ((child.parent != parent || child.group != null)
        && !elsewhere
        && !tree.link(child, parent)
        && undoesGuess(first, child)) {
      tree.link(child, parent);
    }
  }

  /**
   * Cuts the chain between a value and one above it at the first link that was only guessed.
   * Returns false if there is none: what lookups have shown for certain outweighs a new guess.
   */
  private boolean undoesGuess(ChainedValue value, ChainedValue above) {
    ChainedValue on = value;
    while (on != null && on != above && isSure(on)) {
      on = on.parent;
    }
    if (on == null || on == above || !ChainTree.isBelow(on, above)) {
      return false;
    }
    tree.unlink(on);
    return true;
  }

  private boolean isSure(ChainedValue value) {
    long low = value.key.low();
    return value.parent != null
        && predecessors.isSure(low)
        && predecessors.before(low) == value.parent.key.low();
  }

  /** Links a value that belongs to no request to its predecessor, as far as that is known. */
  void adopt(ChainedValue value) {
    long low = value.key.low();
    if (value.parent != null || predecessors.seen(low) == 0) {
      return;
    }
    long predecessor = predecessors.before(low);
    if (predecessor != Predecessors.NONE) {
      tree.await(value, predecessor);
    }
  }

  /**
   * Returns whether a lookup is of the same request as the one before it on its connection, after
   * learning what precedes its key.
   */
  boolean goesOn(
      @Nullable ObservedRequest current,
      ChainConnection connection,
      long low,
      @Nullable ChainedValue chunk,
      long now) {
    if (current == null || current.missed || current.served || low == current.low(0)) {
      predecessors.saw(low, Predecessors.NONE);
      return false;
    }
    long gap = now - current.lastNanos;
    // A read by others ends the lookups of a client that reads on other connections, but not those
    // of one that reads itself: prompts share chunks.
    boolean over = connection.isPause(gap) || (current.isServed() && !connection.reads);
    boolean next = isNext(low, chunk, current);
    boolean goesOn = next || (!over && predecessors.seen(low) == 0);
    if (!next || !over) {
      // A pause before the expected key proves nothing.
      predecessors.saw(low, over ? Predecessors.NONE : current.lastLow());
    }
    if (goesOn) {
      current.resume();
      connection.looksUpEvery(gap);
    }
    return goesOn;
  }

  /** Returns whether a key is known, or assumed, to follow the last one of a request. */
  private boolean isNext(long low, @Nullable ChainedValue value, ObservedRequest current) {
    if (predecessors.seen(low) > 0) {
      return predecessors.before(low) == current.lastLow();
    }
    ChainedValue last = values.at(current.lastLow());
    return value != null
        && last != null
        && value.group != null
        && (value.parent == last || value.group == last.group);
  }
}
