package dev.ebb.host.cluster.pending;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** A client that waits until other nodes have what it has stored. Thread-safe. */
final class ReplicaWait {

  private final long wanted;
  private final IntSupplier most;

  /** The client's values, each with its version. */
  private final Map<PendingWrite, Long> values;

  /** Those without enough copies. */
  private final Set<PendingWrite> open = new HashSet<>();

  /** How many nodes have all values; completed by the caller to end the wait. */
  final CompletableFuture<Integer> answer = new CompletableFuture<>();

  /**
   * Creates a wait, which is to be refreshed once updates reach it.
   *
   * @param wanted how many nodes
   * @param most returns how many nodes have all values that are not pending
   */
  ReplicaWait(long wanted, IntSupplier most, Map<PendingWrite, Long> values) {
    this.wanted = wanted;
    this.most = most;
    this.values = values;
  }

  /** Ends the wait after a time, with what is known then. */
  void limit(long millis) {
    CompletableFuture<Boolean> end =
        new CompletableFuture<Boolean>().completeOnTimeout(true, millis, TimeUnit.MILLISECONDS);
    var _ = end.thenRun(() -> answer.complete(copies()));
    var _ = answer.whenComplete((_, _) -> end.cancel(false));
  }

  synchronized void update(PendingWrite write) {
    if (open.contains(write) && isEnough(write)) {
      open.remove(write);
      answerIfDone();
    }
  }

  synchronized void refresh() {
    open.clear();
    values.keySet().stream().filter(write -> !isEnough(write)).forEach(open::add);
    answerIfDone();
  }

  synchronized void retain(Set<Integer> nodes) {
    values.keySet().forEach(write -> write.retain(nodes));
    refresh();
  }

  private boolean isEnough(PendingWrite write) {
    return copies(write) >= wanted;
  }

  private int copies(PendingWrite write) {
    return write.isRemoved() ? Integer.MAX_VALUE : write.copiesOf(values.getOrDefault(write, 0L));
  }

  private void answerIfDone() {
    if (open.isEmpty()) {
      int copies = copies();
      if (copies >= wanted) {
        answer.complete(copies);
      }
    }
  }

  private int copies() {
    return values.keySet().stream().mapToInt(this::copies).reduce(most.getAsInt(), Math::min);
  }
}
