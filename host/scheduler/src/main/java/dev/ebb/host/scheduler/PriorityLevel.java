package dev.ebb.host.scheduler;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one priority. Tenants take turns by deficit round robin: in each round the
 * deficit of every waiting tenant grows by the quantum, and a tenant's requests are admitted while
 * its deficit is positive. The number of output tokens is not known in advance, so a request may
 * overdraw the deficit; the debt is paid in the following rounds. Rounds in which no tenant could
 * be served are skipped, so that a choice takes O(log tenants), whatever the debts are.
 */
final class PriorityLevel<P> {

  private static final int SMALLEST_SWEEP = 64;

  final long urgency;
  private final long quantum;
  private final Map<String, TenantQueue<P>> tenants = new HashMap<>();
  private final PriorityQueue<TenantQueue<P>> turns =
      new PriorityQueue<>(
          Comparator.<TenantQueue<P>>comparingLong(tenant -> tenant.heapRound)
              .thenComparingLong(tenant -> tenant.heapOrder));

  /** The tenants with queued requests; last the one with most, then the one that joined last. */
  private final TreeSet<TenantQueue<P>> byQueued =
      new TreeSet<>(
          Comparator.<TenantQueue<P>>comparingInt(tenant -> tenant.queued)
              .thenComparingLong(tenant -> tenant.order));

  private @Nullable TenantQueue<P> serving;
  private long round;
  private long lastOrder;
  private int sweepAt = SMALLEST_SWEEP;
  private int waiting;
  private int live;

  PriorityLevel(long urgency, long quantum) {
    this.urgency = urgency;
    this.quantum = quantum;
  }

  TenantQueue<P> tenant(String name) {
    TenantQueue<P> known = tenants.get(name);
    if (known != null) {
      return known;
    }
    if (tenants.size() >= sweepAt) {
      sweep();
    }
    TenantQueue<P> added = new TenantQueue<>(this, name);
    tenants.put(name, added);
    return added;
  }

  /** Forgets tenants without requests and debt. */
  private void sweep() {
    tenants
        .values()
        .removeIf(tenant -> {
          if (tenant.live == 0) {
            tenant.settle(round, quantum);
          }
          return tenant.live == 0 && tenant.deficit == 0 && !tenant.inHeap;
        });
    sweepAt = Math.max(SMALLEST_SWEEP, 2 * tenants.size());
  }

  boolean isIdle() {
    return live == 0;
  }

  boolean hasWaiting() {
    return waiting > 0;
  }

  /** Adds a new request to the queue. */
  void queue(ScheduledRequest<P> request) {
    TenantQueue<P> tenant = request.tenantQueue;
    joining(tenant);
    tenant.add(request);
    tenant.live++;
    live++;
    countQueued(tenant, 1);
  }

  /** Adds a preempted request again. */
  void queueAgain(ScheduledRequest<P> request) {
    joining(request.tenantQueue);
    request.tenantQueue.addAgain(request);
  }

  private void joining(TenantQueue<P> tenant) {
    waiting++;
    if (tenant.isEmpty()) {
      tenant.settle(round, quantum);
      tenant.order = ++lastOrder;
      pushTurn(tenant);
    }
  }

  /** Removes a request from the queue, because it is admitted or has ended. */
  void remove(ScheduledRequest<P> request) {
    TenantQueue<P> tenant = request.tenantQueue;
    waiting--;
    if (request.state == SchedulingState.WAITING) {
      countQueued(tenant, -1);
    }
    tenant.remove(request);
    if (tenant.isEmpty()) {
      // Unused credit expires, so that nobody saves for a burst.
      tenant.deficit = Math.min(0, tenant.deficit);
      if (serving == tenant) {
        serving = null;
      }
    }
  }

  /** Reports the end of a request that has left the queue. */
  void ended(ScheduledRequest<P> request) {
    request.tenantQueue.live--;
    live--;
  }

  private void countQueued(TenantQueue<P> tenant, int change) {
    byQueued.remove(tenant);
    tenant.queued += change;
    if (tenant.queued > 0) {
      byQueued.add(tenant);
    }
  }

  /** Charges tokens to a tenant. */
  void charge(TenantQueue<P> tenant, int tokens) {
    if (tenant.isEmpty()) {
      tenant.settle(round, quantum);
    }
    tenant.deficit -= tokens;
  }

  /** Returns the request to admit next, or null if none waits. */
  @Nullable ScheduledRequest<P> next() {
    TenantQueue<P> current = serving;
    if (current == null || current.deficit <= 0) {
      serving = null;
      if (current != null) {
        pushTurn(current);
      }
      current = nextTenant();
      serving = current;
    }
    return current == null ? null : current.oldest();
  }

  private @Nullable TenantQueue<P> nextTenant() {
    while (true) {
      TenantQueue<P> first = turns.poll();
      if (first == null) {
        return null;
      }
      first.inHeap = false;
      if (first.isEmpty()) {
        continue;
      }
      long ready = first.readyRound(quantum);
      if (ready == first.heapRound && first.order == first.heapOrder) {
        first.deficit += (ready - first.nextVisit + 1) * quantum;
        first.nextVisit = ready + 1;
        round = ready;
        return first;
      }
      pushTurn(first);
    }
  }

  /**
   * Charges make a turn later, and nothing makes it earlier. So the heap is corrected only when it
   * offers a tenant.
   */
  private void pushTurn(TenantQueue<P> tenant) {
    if (!tenant.inHeap) {
      tenant.heapRound = tenant.readyRound(quantum);
      tenant.heapOrder = tenant.order;
      tenant.inHeap = true;
      turns.add(tenant);
    }
  }

  /** Returns whether a request waits here for its first admission. */
  boolean hasQueued() {
    return !byQueued.isEmpty();
  }

  /**
   * Returns the request to refuse when the queue is full: the newest of the tenant that has most of
   * them in the queue.
   *
   * @param arriving a request of this priority that is not in the queue yet, or null
   */
  ScheduledRequest<P> toRefuse(@Nullable ScheduledRequest<P> arriving) {
    if (byQueued.isEmpty()) {
      throw new IllegalStateException("no request is queued");
    }
    TenantQueue<P> longest = byQueued.last();
    if (arriving != null && arriving.tenantQueue.queued + 1 >= longest.queued) {
      return arriving;
    }
    ScheduledRequest<P> newest = longest.newest();
    if (newest == null) {
      throw new IllegalStateException("tenant '%s' has no request".formatted(longest.name));
    }
    return newest;
  }
}
