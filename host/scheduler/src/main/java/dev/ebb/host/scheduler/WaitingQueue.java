package dev.ebb.host.scheduler;

import dev.ebb.host.scheduler.ScheduledRequest.Link;
import dev.ebb.spi.NodeList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests. The most urgent priority is admitted first, and within it tenants take
 * turns. If a request of another priority has waited for too long, every fourth admission is of its
 * priority, so that none starves and urgent requests still have most of the engine.
 */
final class WaitingQueue<P> {

  /** The number of admissions of which one is for a starving priority. */
  private static final int GUARD_INTERVAL = 4;

  /** How many of the oldest requests to look at for each of the first ones. */
  private static final int SCANNED = 8;

  private final int quantum;
  private final long starvationNanos;
  private final Map<Long, PriorityLevel<P>> levels = new HashMap<>();

  /** The levels with waiting requests, the most urgent last. */
  private final List<PriorityLevel<P>> waiting = new ArrayList<>();

  /** The requests that wait for their first admission, and the preempted ones, oldest first. */
  private final NodeList<Link<P>> queued = new NodeList<>();

  private final NodeList<Link<P>> preempted = new NodeList<>();
  private int sinceGuard;
  private boolean guardTurn;

  WaitingQueue(int quantum, long starvationNanos) {
    this.quantum = quantum;
    this.starvationNanos = starvationNanos;
  }

  int queued() {
    return queued.size();
  }

  int preempted() {
    return preempted.size();
  }

  PriorityLevel<P> level(long urgency) {
    return levels.computeIfAbsent(urgency, key -> new PriorityLevel<>(key, quantum));
  }

  void add(ScheduledRequest<P> request) {
    PriorityLevel<P> level = request.tenantQueue.level;
    ensureListed(level);
    level.queue(request);
    queued.addHot(request.byAge);
  }

  void addPreempted(ScheduledRequest<P> request) {
    PriorityLevel<P> level = request.tenantQueue.level;
    ensureListed(level);
    level.queueAgain(request);
    preempted.addHot(request.byAge);
  }

  /** Removes a request that has ended. */
  void remove(ScheduledRequest<P> request) {
    PriorityLevel<P> level = request.tenantQueue.level;
    level.remove(request);
    (request.state == SchedulingState.WAITING ? queued : preempted).remove(request.byAge);
    if (!level.hasWaiting()) {
      waiting.remove(indexOf(level));
    }
  }

  /** Forgets a request that is not in the queue any more, or has never been. */
  void ended(ScheduledRequest<P> request, boolean wasQueued) {
    PriorityLevel<P> level = request.tenantQueue.level;
    if (wasQueued) {
      level.ended(request);
    }
    if (level.isIdle()) {
      levels.remove(level.urgency);
    }
  }

  private void ensureListed(PriorityLevel<P> level) {
    if (!level.hasWaiting()) {
      waiting.add(indexOf(level), level);
    }
  }

  private int indexOf(PriorityLevel<P> level) {
    int low = 0;
    int high = waiting.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (waiting.get(middle).urgency < level.urgency) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the request to admit next, or null if none waits. */
  @Nullable ScheduledRequest<P> next(long now) {
    guardTurn = false;
    if (waiting.isEmpty()) {
      return null;
    }
    PriorityLevel<P> level = waiting.getLast();
    if (sinceGuard >= GUARD_INTERVAL - 1) {
      ScheduledRequest<P> oldest = oldest();
      if (oldest != null
          && oldest.tenantQueue.level != level
          && now - oldest.waitingSince >= starvationNanos) {
        guardTurn = true;
        level = oldest.tenantQueue.level;
      }
    }
    return level.next();
  }

  /**
   * Returns the most urgent of the requests that have waited longest: about the order of their
   * admission, in which tenants also take turns.
   *
   * @param most the most requests to return
   */
  List<ScheduledRequest<P>> first(int most) {
    List<ScheduledRequest<P>> oldest = new ArrayList<>();
    collect(preempted, most * SCANNED, oldest);
    collect(queued, most * SCANNED, oldest);
    oldest.sort(Comparator.comparingLong(request -> -request.urgency));
    return oldest.subList(0, Math.min(most, oldest.size()));
  }

  private static <P> void collect(
      NodeList<Link<P>> from, int most, List<ScheduledRequest<P>> into) {
    Link<P> link = from.cold();
    while (link != null && into.size() < most) {
      into.add(link.request);
      link = from.hotter(link);
    }
  }

  /** Removes the request that {@link #next} has returned, and charges the tokens to its tenant. */
  void admitted(ScheduledRequest<P> next, int tokens) {
    next.guarded |= guardTurn;
    sinceGuard = guardTurn ? 0 : Math.min(sinceGuard + 1, GUARD_INTERVAL);
    next.tenantQueue.level.charge(next.tenantQueue, tokens);
    remove(next);
  }

  /** Returns the request that has waited longest. */
  private @Nullable ScheduledRequest<P> oldest() {
    ScheduledRequest<P> first = oldestQueued();
    Link<P> link = preempted.cold();
    if (first == null || link == null) {
      return link == null ? first : link.request;
    }
    return link.request.waitingSince - first.waitingSince < 0 ? link.request : first;
  }

  /** Returns the request that has waited longest for its first admission. */
  @Nullable ScheduledRequest<P> oldestQueued() {
    Link<P> link = queued.cold();
    return link == null ? null : link.request;
  }

  /**
   * Returns the request to refuse because the queue is full: one of the least urgent ones, which
   * can be the arriving request.
   */
  ScheduledRequest<P> toRefuse(ScheduledRequest<P> arriving) {
    for (PriorityLevel<P> level : waiting) {
      if (level.urgency > arriving.urgency) {
        return arriving;
      }
      if (level.hasQueued()) {
        return level.toRefuse(level.urgency == arriving.urgency ? arriving : null);
      }
    }
    return arriving;
  }
}
