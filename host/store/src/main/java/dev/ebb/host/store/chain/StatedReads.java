package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.Model;
import dev.ebb.host.store.key.ObjectKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * What clients read of the prompts whose chunks they have stated last. They may read after they
 * have ended the request. Guarded by the partition's lock.
 */
final class StatedReads {

  /** How many prompts are remembered. */
  private static final int MOST = 16;

  private record Prompt(ObservedRequest request, Model model, ObjectReads reads) {}

  private final Deque<Prompt> last = new ArrayDeque<>();

  /** Remembers a prompt with a key of it; what was read of the oldest one is learned. */
  void begun(ObservedRequest request, ObjectKey key) {
    if (!key.labels().learnsGroups()) {
      return;
    }
    last.addLast(new Prompt(request, key.labels().model(), new ObjectReads()));
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
