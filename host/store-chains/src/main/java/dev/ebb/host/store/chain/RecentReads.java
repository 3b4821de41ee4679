package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.Model;
import dev.ebb.host.store.key.ObjectKey;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * What clients read of the last prompts whose chunks they have stated, or looked up at once, from
 * which models learn their object groups. It does not matter which connection reads, nor whether
 * the request has ended. Guarded by the partition's lock.
 */
final class RecentReads {

  /** How many prompts are remembered. */
  private static final int MOST = 16;

  /** What a client reads of the chunks of a prompt, by object group. */
  private static final class Prompt {

    private final ObservedRequest request;
    private final Model model;
    private final List<LongOpenHashSet> groups = new ArrayList<>();

    private Prompt(ObservedRequest request, Model model) {
      this.request = request;
      this.model = model;
    }

    /** Adds an object that was read; returns false if it was read before. */
    private boolean add(ObjectKey key) {
      int group = key.labels().group();
      while (groups.size() <= group) {
        groups.add(new LongOpenHashSet(0));
      }
      return groups.get(group).add(key.entryLow());
    }

    /** Lets the model learn what is read of each object group. */
    private void teach() {
      if (groups.size() < 2) {
        return;
      }
      List<BitSet> reads = new ArrayList<>();
      for (LongOpenHashSet group : groups) {
        BitSet read = new BitSet();
        for (int i = 0; i < request.size(); i++) {
          read.set(i, group.contains(request.low(i)));
        }
        reads.add(read);
      }
      model.learn(reads);
    }
  }

  private final Deque<Prompt> last = new ArrayDeque<>();

  /** Remembers a prompt with the labels of a key of it; the reads of the oldest one are learned. */
  void begun(ObservedRequest request, KeyLabels labels) {
    if (!labels.learnsGroups()) {
      return;
    }
    last.addLast(new Prompt(request, labels.model()));
    if (last.size() > MOST) {
      last.removeFirst().teach();
    }
  }

  void read(ObjectKey key) {
    for (Iterator<Prompt> each = last.descendingIterator(); each.hasNext(); ) {
      Prompt prompt = each.next();
      if (prompt.request.hasFound(key.entryLow()) && prompt.add(key)) {
        return;
      }
    }
  }
}
