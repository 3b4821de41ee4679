package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.NodeList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lives in order of their predicted ends, to within an eighth of the time that was left: all
 * operations take constant time, however far ahead the ends lie.
 *
 * <p>Each ring has 64 slots, eight times as long as those of the ring before. A slot covers a fixed
 * stretch of time, so nothing moves while time passes. When a slot's time is over, its lives move
 * once to the list of ended ones.
 */
final class Timeline {

  private static final int RINGS = 10;
  private static final int SLOTS = 64;
  private static final int SHORTEST_BITS = 26;
  private static final int GROWTH_BITS = 3;

  /** The longest representable time ahead; about nine years. */
  static final long FARTHEST = 1L << (SHORTEST_BITS + GROWTH_BITS * (RINGS - 1) + 5);

  private final List<NodeList<Life>> slots = new ArrayList<>(RINGS * SLOTS);
  private final long[] occupied = new long[RINGS];
  private final long[] reached = new long[RINGS];
  private final NodeList<Life> over = new NodeList<>();

  Timeline(long now) {
    for (int slot = 0; slot < RINGS * SLOTS; slot++) {
      slots.add(new NodeList<>());
    }
    for (int ring = 0; ring < RINGS; ring++) {
      reached[ring] = now >> shift(ring);
    }
  }

  void add(Life life, long now) {
    advance(now);
    if (life.endNanos <= now) {
      over.addHot(life);
      return;
    }
    int ring = 0;
    while ((life.endNanos >> shift(ring)) - reached[ring] >= SLOTS) {
      ring++;
    }
    int slot = (int) (life.endNanos >> shift(ring)) & (SLOTS - 1);
    occupied[ring] |= 1L << slot;
    life.slot = ring * SLOTS + slot;
    slots.get(life.slot).addHot(life);
  }

  /** Takes a life out; false if it is not here. */
  boolean remove(Life life) {
    NodeList<Life> list = life.list();
    if (list == over) {
      over.remove(life);
      return true;
    }
    if (list == null || list != slots.get(life.slot)) {
      return false;
    }
    list.remove(life);
    if (list.isEmpty()) {
      occupied[life.slot / SLOTS] &= ~(1L << (life.slot % SLOTS));
    }
    return true;
  }

  /** Returns the life that has been over for longest, or null. */
  @Nullable Life ended(long now) {
    advance(now);
    return over.cold();
  }

  /** Returns the life, not over yet, that ends first; null if there is none. */
  @Nullable Life nextToEnd() {
    Life next = null;
    long soonest = Long.MAX_VALUE;
    for (int ring = 0; ring < RINGS; ring++) {
      if (occupied[ring] != 0) {
        int first = (int) reached[ring] & (SLOTS - 1);
        int ahead = Long.numberOfTrailingZeros(Long.rotateRight(occupied[ring], first));
        long end = (reached[ring] + ahead + 1) << shift(ring);
        if (end < soonest) {
          soonest = end;
          next = slots.get(ring * SLOTS + ((first + ahead) & (SLOTS - 1))).cold();
        }
      }
    }
    return next;
  }

  private void advance(long now) {
    for (int ring = 0; ring < RINGS; ring++) {
      long present = now >> shift(ring);
      long passed = present - reached[ring];
      if (passed <= 0) {
        // Longer slots have not ended either.
        return;
      }
      int first = (int) reached[ring] & (SLOTS - 1);
      reached[ring] = present;
      long ended = Long.rotateRight(occupied[ring], first);
      if (passed < SLOTS) {
        ended &= (1L << passed) - 1;
      }
      occupied[ring] &= ~Long.rotateLeft(ended, first);
      for (; ended != 0; ended &= ended - 1) {
        int slot = (first + Long.numberOfTrailingZeros(ended)) & (SLOTS - 1);
        end(slots.get(ring * SLOTS + slot));
      }
    }
  }

  private void end(NodeList<Life> list) {
    for (Life life = list.cold(); life != null; life = list.cold()) {
      list.remove(life);
      over.addHot(life);
    }
  }

  private static int shift(int ring) {
    return SHORTEST_BITS + GROWTH_BITS * ring;
  }
}
