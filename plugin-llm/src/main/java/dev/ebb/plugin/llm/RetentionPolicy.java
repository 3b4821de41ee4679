package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Priorities that expire: soft retention, as proposed for SGLang in <a
 * href="https://github.com/sgl-project/sglang/pull/27970">pull request 27970</a> (2026) and as in
 * the retention of TensorRT-LLM.
 *
 * <p>An entry has the priority of the request that used it last, and keeps it until it has been
 * idle for longer than the lifetime that this request stated; without one, for ever. After that, a
 * priority above that of ordinary requests counts as theirs. A KV hint such as {@code kv.retain}
 * raises the priority by its strength, until the hint ends; a demoted entry is below the others of
 * its priority. The entry of the lowest priority is evicted first, among equals the one used
 * longest ago.
 *
 * <p>Lifetimes are rounded up to a power of two seconds. Entries of one priority and lifetime
 * expire in the order of use, so each such class is a queue of which only the coldest entry is
 * compared: a use costs O(1), or O(log classes) if its class changes, a victim O(classes). Time is
 * that of the latest event. The score is the priority that counts now.
 *
 * <p><b>Prefix streams.</b> A prompt's blocks expire together. In SGLang a shared prefix keeps the
 * stronger of its users' priorities; here the leaf rule protects it as long as blocks behind it are
 * resident.
 */
final class RetentionPolicy extends ClassedPolicy {

  private static final int ORDINARY = 1;
  private static final long SECOND = 1_000_000_000;
  private static final int PERMANENT = Integer.MAX_VALUE;

  private final Map<Long, PriorityClass> classes = new TreeMap<>();

  /** The class of the last use, which is mostly that of the next one too. */
  private @Nullable PriorityClass last;

  RetentionPolicy(PolicyContext context) {
    super(context);
  }

  /** The entries of one priority and lifetime. */
  private static final class PriorityClass extends EntryQueue<TimedNode> {
    private final int priority;
    private final int lifetime;
    private final long lifetimeNanos;

    private PriorityClass(int priority, int lifetime) {
      super("class");
      this.priority = priority;
      this.lifetime = lifetime;
      lifetimeNanos = lifetime == PERMANENT ? Long.MAX_VALUE : SECOND << lifetime;
    }
  }

  @Override
  public void accessed(TimedNode node) {
    Entry entry = node.entry();
    long until = entry.retainedUntilNanos();
    int retention = until > entry.lastAccessNanos() ? entry.retention() : 0;
    int priority =
        Math.clamp((long) entry.priority() + retention, Integer.MIN_VALUE, Integer.MAX_VALUE);
    int lifetime =
        lifetime(
            retention == 0
                ? entry.lifetimeHintNanos()
                : until == Long.MAX_VALUE ? -1 : until - entry.lastAccessNanos());
    PriorityClass its = last;
    if (its == null || its.priority != priority || its.lifetime != lifetime) {
      its = classOf(priority, lifetime);
      last = its;
    }
    use(node, its);
  }

  private PriorityClass classOf(int priority, int lifetime) {
    long key = (long) priority << Integer.SIZE | lifetime;
    PriorityClass found = classes.get(key);
    if (found == null) {
      found = new PriorityClass(priority, lifetime);
      classes.put(key, found);
    }
    return found;
  }

  /** Returns the power of two seconds that a lifetime is rounded up to. */
  private static int lifetime(long nanos) {
    if (nanos < 0) {
      return PERMANENT;
    }
    long seconds = Math.ceilDiv(nanos, SECOND);
    return seconds <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(seconds - 1);
  }

  @Override
  protected @Nullable TimedNode choose(Demand demand) {
    TimedNode least = null;
    Iterator<PriorityClass> each = classes.values().iterator();
    while (each.hasNext()) {
      PriorityClass next = each.next();
      if (next.size() == 0 && next != last) {
        each.remove();
      }
      least = lower(least, next.coldest());
    }
    return least;
  }

  private static PriorityClass owner(TimedNode node) {
    return (PriorityClass) node.queue(); // it has no other queues
  }

  private int priority(TimedNode node) {
    PriorityClass its = owner(node);
    boolean expired = nowNanos - node.lastNanos > its.lifetimeNanos;
    return expired ? Math.min(its.priority, ORDINARY) : its.priority;
  }

  @Override
  public double score(TimedNode node) {
    return priority(node);
  }

  @Override
  protected String describe(TimedNode node) {
    PriorityClass its = owner(node);
    if (its.lifetimeNanos == Long.MAX_VALUE) {
      return "priority %d, without a lifetime".formatted(its.priority);
    }
    double left = (double) (its.lifetimeNanos - (nowNanos - node.lastNanos)) / SECOND;
    return left < 0
        ? "priority %d expired %.1f s ago, counts as %d"
            .formatted(its.priority, -left, priority(node))
        : "priority %d for %.1f s more".formatted(its.priority, left);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("classes", (double) classes.size());
  }
}
