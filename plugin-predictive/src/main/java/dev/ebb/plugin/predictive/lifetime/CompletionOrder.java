package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lives without a predicted end, by the progress of the sequence that used them last: nearest to
 * its maximum length first, in steps of a sixteenth, then by last use. An unknown length counts as
 * half way.
 */
final class CompletionOrder {

  private static final int STEPS = 16;
  private static final int UNKNOWN = STEPS / 2;

  private final List<NodeList<Life>> lists = new ArrayList<>(STEPS + 1);

  CompletionOrder() {
    for (int place = 0; place <= STEPS; place++) {
      lists.add(new NodeList<>());
    }
  }

  /** Adds a life as the last one used of its kind. */
  void addHot(Life life) {
    lists.get(place(life.entry)).addHot(life);
  }

  /** Adds a life as the first one to be evicted of its kind. */
  void addCold(Life life) {
    lists.get(place(life.entry)).addCold(life);
  }

  /** Returns the life to evict first, or null. */
  @Nullable Life first() {
    for (NodeList<Life> list : lists) {
      if (!list.isEmpty()) {
        return list.cold();
      }
    }
    return null;
  }

  /**
   * Returns the share of its longest length that the sequence has reached, 0 to 1; NaN if not
   * known.
   */
  static double share(Entry entry) {
    long length = entry.sequenceLength();
    long longest = entry.maxSequenceLength();
    return length < 0 || longest <= 0 ? Double.NaN : Math.min(1, (double) length / longest);
  }

  // 0 is evicted first; unknown lengths are between those past half way and those before.
  private static int place(Entry entry) {
    double share = share(entry);
    if (Double.isNaN(share)) {
      return UNKNOWN;
    }
    int left = STEPS - 1 - Math.min((int) (share * STEPS), STEPS - 1);
    return left < UNKNOWN ? left : left + 1;
  }
}
