package dev.ebb.host.resp;

import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.resp.session.Session;
import java.util.Collection;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all connections use for incomplete commands and for replies. Above the limit, the connection
 * that uses most is closed.
 */
public final class ClientMemory {

  /** Uses of less are not counted. */
  private static final long GRAIN = 1 << 10;

  private static final long RELEASED = -1;

  private final MemoryBudget budget;
  private final Collection<Session> sessions;
  private final Consumer<Session> evicting;

  ClientMemory(MemoryBudget budget, Collection<Session> sessions, Consumer<Session> evicting) {
    this.budget = budget;
    this.sessions = sessions;
    this.evicting = evicting;
  }

  void use(Session session, long bytes) {
    long now = bytes / GRAIN * GRAIN;
    long before = session.memoryBytes.get();
    if (before == now || before == RELEASED || !session.memoryBytes.compareAndSet(before, now)) {
      return;
    }
    if (!budget.use(now - before) && now > before) {
      evict();
    }
  }

  /** Counts a session no longer. Returns whether it was counted. */
  boolean release(Session session) {
    long before = session.memoryBytes.getAndSet(RELEASED);
    budget.free(Math.max(0, before));
    return before != RELEASED;
  }

  private synchronized void evict() {
    while (budget.usedBytes() > budget.limitBytes()) {
      @Nullable Session largest =
          sessions.stream()
              .max(Comparator.comparingLong(session -> session.memoryBytes.get()))
              .orElse(null);
      if (largest == null || largest.memoryBytes.get() <= 0) {
        return;
      }
      // Counted as free before its memory is: otherwise the next largest would be closed, too.
      if (release(largest)) {
        evicting.accept(largest);
      }
    }
  }
}
