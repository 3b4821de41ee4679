package dev.ebb.host.scheduler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rules of docs/scheduler.md with plain lists: each choice looks at every request. */
final class NaiveScheduler {

  /** A request. */
  static final class Job {
    final long id;
    final Submission<Integer> asked;
    final long urgency;
    final String tenant;
    SchedulingState state = SchedulingState.WAITING;
    @Nullable EndReason end;
    long since;
    long admission;
    long lastPlanned;
    int matched;
    int computed;
    int output;
    int preemptions;
    boolean guarded;
    boolean inBatch;
    boolean cancelled;
    int planned;

    Job(long id, Submission<Integer> asked, long urgency, long now) {
      this.id = id;
      this.asked = asked;
      this.urgency = urgency;
      tenant = Objects.requireNonNullElse(asked.tenant(), "");
      since = now;
    }

    int tokens() {
      return asked.promptTokens() + output;
    }

    int remaining() {
      return tokens() - computed;
    }

    long rank() {
      return guarded ? Long.MAX_VALUE : urgency;
    }
  }

  /** A tenant's place in the round robin of one priority. */
  private static final class Tenant {
    final String name;
    long deficit;
    long nextVisit;

    Tenant(String name) {
      this.name = name;
    }
  }

  /** The round robin of one priority: each round visits the waiting tenants in order. */
  private static final class Ring {
    final Map<String, Tenant> all = new HashMap<>();
    final List<Tenant> members = new ArrayList<>();
    long round;
    int position = -1;
    @Nullable Tenant serving;
  }

  private final SchedulerOptions options;
  private final CountingMemory memory;
  private final Comparator<Job> rule;
  private final Map<Long, Ring> rings = new HashMap<>();
  final List<Job> waiting = new ArrayList<>();
  final List<Job> running = new ArrayList<>();
  final List<Job> batch = new ArrayList<>();
  final List<String> ends = new ArrayList<>();
  private long lastId;
  private long lastAdmission;
  private int sinceGuard;

  NaiveScheduler(SchedulerOptions options, CountingMemory memory, PreemptionRules rules) {
    this.options = options;
    this.memory = memory;
    Comparator<Job> first =
        switch (rules) {
          case LOWEST_PRIORITY -> Comparator.comparingLong(job -> job.urgency);
          case LEAST_PROGRESS ->
              Comparator.<Job>comparingInt(job -> job.output).thenComparingInt(job -> job.computed);
          case CHEAPEST_TO_RECOMPUTE ->
              Comparator.comparingInt(job -> Math.max(0, job.computed - job.matched));
        };
    rule = first.thenComparingLong(job -> -job.admission);
  }

  Job submit(Submission<Integer> asked, long now) {
    refuseOverdue(now);
    long urgency = options.smallerFirst() ? -(long) asked.priority() : asked.priority();
    Job job = new Job(++lastId, asked, urgency, now);
    if (asked.promptTokens() + asked.maxOutputTokens() - 1 > memory.capacityTokens()) {
      end(job, EndReason.TOO_LONG);
      return job;
    }
    List<Job> queue = new ArrayList<>(waiting);
    queue.removeIf(other -> other.state != SchedulingState.WAITING);
    if (queue.size() >= options.maxQueued()) {
      queue.add(job);
      Job refused = toRefuse(queue, job);
      waiting.remove(refused);
      end(refused, EndReason.QUEUE_FULL);
      leave(refused);
      if (refused == job) {
        return job;
      }
    }
    join(job);
    waiting.add(job);
    return job;
  }

  private Job toRefuse(List<Job> queue, Job arriving) {
    long least = queue.stream().mapToLong(job -> job.urgency).min().orElseThrow();
    List<Job> lowest = queue.stream().filter(job -> job.urgency == least).toList();
    long most = lowest.stream().mapToLong(job -> ofTenant(lowest, job)).max().orElseThrow();
    Predicate<Job> longest = job -> ofTenant(lowest, job) == most;
    if (arriving.urgency == least && longest.test(arriving)) {
      return arriving;
    }
    Ring ring = ring(least);
    return lowest.stream()
        .filter(longest)
        .max(
            Comparator.<Job>comparingInt(job -> ring.members.indexOf(tenant(job)))
                .thenComparingLong(job -> job.id))
        .orElseThrow();
  }

  private static long ofTenant(List<Job> jobs, Job like) {
    return jobs.stream().filter(job -> job.tenant.equals(like.tenant)).count();
  }

  void cancel(Job job) {
    if (job.inBatch) {
      job.cancelled = true;
    } else if (job.state == SchedulingState.RUNNING) {
      running.remove(job);
      memory.release(job.id);
      end(job, EndReason.CANCELLED);
    } else if (waiting.remove(job)) {
      end(job, EndReason.CANCELLED);
      leave(job);
    }
  }

  void step(long now) {
    refuseOverdue(now);
    boolean wasShort = grow(now);
    for (Job job : running) {
      if (job.remaining() > 1 && now - job.lastPlanned >= options.starvationAfter().toNanos()) {
        job.guarded = true;
      }
    }
    boolean more = !wasShort || running.isEmpty();
    while (more) {
      more = admitOne(now);
    }
    plan(now);
  }

  private boolean grow(long now) {
    boolean preempted = false;
    for (Job job : running.toArray(new Job[0])) {
      while (job.state == SchedulingState.RUNNING
          && !memory.grow(job.id, job.tokens(), job.matched)) {
        preempt(now, other -> other.rank() <= job.rank());
        preempted = true;
      }
    }
    return preempted;
  }

  private void preempt(long now, Predicate<Job> candidate) {
    Job victim = running.stream().filter(candidate).min(rule).orElseThrow();
    running.remove(victim);
    memory.release(victim.id);
    victim.state = SchedulingState.PREEMPTED;
    victim.computed = 0;
    victim.preemptions++;
    victim.since = now;
    join(victim);
    waiting.add(victim);
  }

  private boolean admitOne(long now) {
    if (waiting.isEmpty()) {
      return false;
    }
    long urgency = Long.MIN_VALUE;
    Job oldest = waiting.getFirst();
    for (Job job : waiting) {
      urgency = Math.max(urgency, job.urgency);
      boolean queuedFirst =
          job.state == SchedulingState.WAITING && oldest.state == SchedulingState.PREEMPTED;
      if (job.since < oldest.since || (job.since == oldest.since && queuedFirst)) {
        oldest = job;
      }
    }
    boolean guard =
        sinceGuard >= 3
            && oldest.urgency != urgency
            && now - oldest.since >= options.starvationAfter().toNanos();
    Job next = next(guard ? oldest.urgency : urgency);
    long left = options.maxBatchedTokens();
    for (Job job : running) {
      if (job.remaining() == 1) {
        left--;
      } else if (job.rank() >= next.rank()) {
        left -= job.remaining();
      }
    }
    if (left <= 0) {
      return false;
    }
    int matched = admit(next);
    while (matched == SchedulerMemory.NO_ROOM) {
      List<Job> below = running.stream().filter(job -> job.rank() < next.urgency).toList();
      long held = below.stream().mapToLong(job -> memory.held(job.id) * 4L).sum();
      if (below.isEmpty() || held < memory.shortage(next.tokens(), next.asked.payload())) {
        return false;
      }
      preempt(now, below::contains);
      matched = admit(next);
    }
    if (matched == SchedulerMemory.IN_PROGRESS) {
      return false;
    }
    waiting.remove(next);
    next.matched = matched;
    next.computed = Math.min(matched, next.tokens() - 1);
    if (next.state == SchedulingState.WAITING) {
      charge(next, next.remaining());
    }
    leave(next);
    next.guarded |= guard;
    sinceGuard = guard ? 0 : sinceGuard + 1;
    next.state = SchedulingState.RUNNING;
    next.admission = ++lastAdmission;
    next.lastPlanned = now;
    running.add(next);
    return true;
  }

  private int admit(Job next) {
    return running.size() < options.maxRunning()
        ? memory.admit(next.id, next.tokens(), next.asked.payload())
        : SchedulerMemory.NO_ROOM;
  }

  private void plan(long now) {
    List<Job> order = new ArrayList<>(running);
    order.removeIf(job -> job.remaining() == 1);
    order.sort(Comparator.comparingLong(job -> -job.rank()));
    for (int i = running.size() - 1; i >= 0; i--) {
      if (running.get(i).remaining() == 1) {
        order.addFirst(running.get(i));
      }
    }
    int budget = options.maxBatchedTokens();
    for (Job job : order) {
      job.planned = Math.min(budget, job.remaining());
      if (job.planned > 0) {
        budget -= job.planned;
        job.inBatch = true;
        job.lastPlanned = now;
        batch.add(job);
      }
    }
  }

  void completed(Predicate<Job> finished, Predicate<Job> failed) {
    for (Job job : batch) {
      job.inBatch = false;
      if (job.cancelled) {
        endRunning(job, EndReason.CANCELLED);
      } else if (failed.test(job)) {
        endRunning(job, EndReason.FAILED);
      } else {
        boolean sampled = job.planned == job.remaining();
        job.computed += job.planned;
        if (sampled) {
          job.output++;
          charge(job, 1);
          if (finished.test(job) || job.output == job.asked.maxOutputTokens()) {
            endRunning(job, EndReason.FINISHED);
          }
        }
      }
    }
    batch.clear();
  }

  private void refuseOverdue(long now) {
    for (Job job : waiting.toArray(new Job[0])) {
      if (job.state == SchedulingState.WAITING
          && now - job.since >= options.queueTimeout().toNanos()) {
        waiting.remove(job);
        end(job, EndReason.QUEUE_TIMEOUT);
        leave(job);
      }
    }
  }

  private void endRunning(Job job, EndReason reason) {
    running.remove(job);
    memory.release(job.id);
    end(job, reason);
  }

  private void end(Job job, EndReason reason) {
    job.state = SchedulingState.ENDED;
    job.end = reason;
    ends.add(job.id + " " + reason);
    boolean used =
        waiting.stream().anyMatch(other -> other.urgency == job.urgency)
            || running.stream().anyMatch(other -> other.urgency == job.urgency);
    if (!used) {
      rings.remove(job.urgency);
    }
  }

  // Deficit round robin, visit by visit.

  private Ring ring(long urgency) {
    return rings.computeIfAbsent(urgency, key -> new Ring());
  }

  private Tenant tenant(Job job) {
    return ring(job.urgency).all.computeIfAbsent(job.tenant, Tenant::new);
  }

  private void join(Job job) {
    Ring ring = ring(job.urgency);
    Tenant tenant = tenant(job);
    if (!ring.members.contains(tenant)) {
      forgive(ring, tenant);
      ring.members.add(tenant);
    }
  }

  /** Takes a tenant out of the ring when its last waiting request has left. */
  private void leave(Job job) {
    Ring ring = ring(job.urgency);
    Tenant tenant = tenant(job);
    int index = ring.members.indexOf(tenant);
    boolean last =
        waiting.stream().noneMatch(o -> o.urgency == job.urgency && o.tenant.equals(job.tenant));
    if (index >= 0 && last) {
      ring.members.remove(index);
      ring.position -= index <= ring.position ? 1 : 0;
      tenant.deficit = Math.min(0, tenant.deficit);
      ring.serving = ring.serving == tenant ? null : ring.serving;
    }
  }

  private void forgive(Ring ring, Tenant tenant) {
    while (tenant.nextVisit <= ring.round) {
      if (tenant.deficit == 0) {
        tenant.nextVisit = ring.round;
      }
      tenant.deficit = Math.min(0, tenant.deficit + options.tenantQuantum());
      tenant.nextVisit++;
    }
  }

  private void charge(Job job, int tokens) {
    Ring ring = ring(job.urgency);
    Tenant tenant = tenant(job);
    if (!ring.members.contains(tenant)) {
      forgive(ring, tenant);
    }
    tenant.deficit -= tokens;
  }

  private Job next(long urgency) {
    Ring ring = ring(urgency);
    Tenant serving = ring.serving;
    while (serving == null || serving.deficit <= 0) {
      ring.position++;
      if (ring.position >= ring.members.size()) {
        ring.position = 0;
        ring.round++;
      }
      Tenant visited = ring.members.get(ring.position);
      if (visited.nextVisit <= ring.round) {
        visited.deficit += options.tenantQuantum();
        visited.nextVisit = ring.round + 1;
        serving = visited;
      }
    }
    ring.serving = serving;
    Job oldest = null;
    for (Job job : waiting) {
      boolean candidate = job.urgency == urgency && job.tenant.equals(serving.name);
      if (candidate && (oldest == null || job.id < oldest.id)) {
        oldest = job;
      }
    }
    return Objects.requireNonNull(oldest);
  }
}
