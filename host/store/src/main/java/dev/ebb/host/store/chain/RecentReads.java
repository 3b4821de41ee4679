package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.Model;
import dev.ebb.host.store.key.ObjectKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * What clients read of the last prompts whose chunks they have stated, or looked up at once, from
 * which models learn their object groups. It does not matter which connection reads, nor whether
 * the request has ended. Guarded by the partition's lock.
 */
final class RecentReads {

  /** How many prompts are remembered. */
  private static final int MOST = 16;

  private record Prompt(ObservedRequest request, Model model, ObjectReads reads) {}

  private final Deque<Prompt> last = new ArrayDeque<>();

  /** Remembers a prompt with the labels of a key of it; the reads of the oldest one are learned. */
  void begun(ObservedRequest request, KeyLabels labels) {
    if (!labels.learnsGroups()) {
      return;
    }
    last.addLast(new Prompt(request, labels.model(), new ObjectReads()));
    if (last.size() > MOST) {
      Prompt oldest = last.removeFirst();
      oldest.reads.teach(oldest.model, oldest.request);
    }
  }

  /** Records that an object is read. */
  void read(ObjectKey key) {
    for (Iterator<Prompt> each = last.descendingIterator(); each.hasNext(); ) {
      Prompt prompt = each.next();
      if (prompt.request.hasFound(key.entryLow()) && prompt.reads.add(key)) {
        return;
      }
    }
  }
}
