package dev.ebb.host.scheduler;

import dev.ebb.host.scheduler.ScheduledRequest.Link;
import dev.ebb.spi.NodeList;
import org.jspecify.annotations.Nullable;

/** The waiting requests of one tenant with one priority, oldest first, and its deficit. */
final class TenantQueue<P> {

  final PriorityLevel<P> level;
  final String name;
  private final NodeList<Link<P>> waiting = new NodeList<>();

  /** The requests that wait for their first admission. */
  int queued;

  /** The requests that wait or run. */
  int live;

  /** The tokens that it may still use in this round; a debt if negative. */
  long deficit;

  /** The next round in which the deficit grows. */
  long nextVisit;

  /** Its place within a round. */
  long order;

  /** The round and the place in the level's heap, which may be earlier than the real ones. */
  long heapRound;

  long heapOrder;
  boolean inHeap;

  TenantQueue(PriorityLevel<P> level, String name) {
    this.level = level;
    this.name = name;
  }

  boolean isEmpty() {
    return waiting.size() == 0;
  }

  void add(ScheduledRequest<P> request) {
    waiting.addHot(request.inTenant);
  }

  /** Adds a preempted request where its number belongs. Only other preempted ones are older. */
  void addAgain(ScheduledRequest<P> request) {
    Link<P> younger = waiting.cold();
    while (younger != null && younger.request.id() < request.id()) {
      younger = waiting.hotter(younger);
    }
    if (younger == null) {
      waiting.addHot(request.inTenant);
    } else {
      waiting.addColderThan(request.inTenant, younger);
    }
  }

  void remove(ScheduledRequest<P> request) {
    waiting.remove(request.inTenant);
  }

  @Nullable ScheduledRequest<P> oldest() {
    Link<P> link = waiting.cold();
    return link == null ? null : link.request;
  }

  @Nullable ScheduledRequest<P> newest() {
    Link<P> link = waiting.hot();
    return link == null ? null : link.request;
  }

  /** Returns the round in which the deficit is positive again. */
  long readyRound(long quantum) {
    return nextVisit + Math.floorDiv(-deficit, quantum);
  }

  /** Reduces the debt of a tenant without waiting requests by the rounds that have passed. */
  void settle(long round, long quantum) {
    long visits = round - nextVisit + 1;
    if (visits > 0) {
      long debt = -deficit;
      deficit = debt / quantum < visits ? 0 : deficit + visits * quantum;
      nextVisit = round + 1;
    }
  }
}
