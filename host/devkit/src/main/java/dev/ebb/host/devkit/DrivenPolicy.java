package dev.ebb.host.devkit;

import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.SettingException;
import dev.ebb.testkit.TestContext;
import dev.ebb.testkit.TestDemand;
import dev.ebb.testkit.TestEntry;
import dev.ebb.testkit.TestRequest;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A block policy full of entries without a cache, to measure the policy alone. */
final class DrivenPolicy<N> implements AutoCloseable {

  /**
   * No measurement takes this long, even on the slowest machine, unless the policy never returns.
   */
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final long NANOS_PER_EVENT = 1_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final BlockPolicy<N> policy;
  private final TestContext context;
  private final TestEntry[] entries;
  private final Object[] nodes;
  private final TestDemand demand = TestDemand.of(1);
  private final SplittableRandom random = new SplittableRandom(1);
  private long tick;
  private long slowestNanos;

  private DrivenPolicy(BlockPolicy<N> policy, TestContext context, int residents) {
    this.policy = policy;
    this.context = context;
    entries = new TestEntry[residents];
    nodes = new Object[residents];
  }

  /**
   * Uses an empty instance, and closes it.
   *
   * @throws PluginFailure if the policy throws, or does not return
   * @throws SettingException if its JAR's settings are wrong
   */
  static <T> T use(
      Strategy<BlockPolicyProvider> strategy,
      TestContext context,
      int residents,
      Function<DrivenPolicy<?>, T> body) {
    return PluginCall.bounded(
        TIMEOUT,
        strategy.owner(),
        failed(strategy, residents),
        () -> run(strategy, context, residents, body));
  }

  /** Runs the same on the caller's thread; the policy must return. */
  static <T> T useHere(
      Strategy<BlockPolicyProvider> strategy,
      TestContext context,
      int residents,
      Function<DrivenPolicy<?>, T> body) {
    return PluginCall.call(
        strategy.owner(),
        failed(strategy, residents),
        () -> run(strategy, context, residents, body));
  }

  private static String failed(Strategy<?> strategy, int residents) {
    return String.format(
        Locale.ROOT, "policy '%s' failed with %,d residents", strategy.name(), residents);
  }

  private static <T> T run(
      Strategy<BlockPolicyProvider> strategy,
      TestContext context,
      int residents,
      Function<DrivenPolicy<?>, T> body) {
    BlockPolicy<?> made = ConfiguredProviders.policy(strategy).create(context);
    try (DrivenPolicy<?> policy = of(made, context, residents)) {
      return body.apply(policy);
    }
  }

  private static <N> DrivenPolicy<N> of(BlockPolicy<N> policy, TestContext context, int residents) {
    return new DrivenPolicy<>(policy, context, residents);
  }

  /** Returns a new entry; its slot follows from the fingerprint, which stays unique. */
  private TestEntry newEntry(int slot) {
    tick++;
    return TestEntry.of(tick * entries.length + slot).created(tick * NANOS_PER_EVENT, tick);
  }

  int residents() {
    return entries.length;
  }

  /** Creates all entries, so that inserting them allocates only what the policy does. */
  void createEntries() {
    for (int slot = 0; slot < entries.length; slot++) {
      entries[slot] = newEntry(slot);
    }
  }

  /** Inserts the entry of a slot; creates it first if there is none. */
  void insert(int slot) {
    if (entries[slot] == null) {
      entries[slot] = newEntry(slot);
    }
    nodes[slot] = policy.inserted(entries[slot]);
  }

  void fill() {
    for (int slot = 0; slot < entries.length; slot++) {
      insert(slot);
    }
  }

  /** Accesses so many entries; a quarter of them get three quarters of the uses. */
  void access(int count) {
    for (int i = 0; i < count; i++) {
      int slot = random.nextInt(entries.length);
      slot = random.nextInt(3) == 0 ? slot : slot / 4;
      tick++;
      entries[slot].used(tick * NANOS_PER_EVENT, tick);
      policy.accessed(node(slot));
    }
  }

  /** Evicts so many entries, each for a new one. */
  void replace(int count) {
    for (int i = 0; i < count; i++) {
      int slot = slot(policy.victim(demand));
      policy.removed(node(slot), RemovalCause.EVICTED);
      entries[slot] = newEntry(slot);
      insert(slot);
    }
  }

  private int slot(@Nullable Entry victim) {
    if (victim == null) {
      throw new IllegalStateException("victim() returned null, but size() is " + entries.length);
    }
    return (int) Long.remainderUnsigned(victim.fingerprint(), entries.length);
  }

  /** Evicts an entry for a new one, and takes the processor time of each call. */
  void timedReplace() {
    long start = cpuNanos();
    int slot = slot(policy.victim(demand));
    long asked = timed(start);
    policy.removed(node(slot), RemovalCause.EVICTED);
    timed(asked);
    entries[slot] = newEntry(slot);
    long begun = cpuNanos();
    insert(slot);
    timed(begun);
  }

  private long timed(long since) {
    long now = cpuNanos();
    slowestNanos = Math.max(slowestNanos, now - since);
    return now;
  }

  /** Returns a time that does not pass while other processes run. */
  private static long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Returns the time of the slowest call of {@link #timedReplace}. */
  long slowestNanos() {
    return slowestNanos;
  }

  /** Runs a background task that the policy has submitted. */
  void runBackground() {
    context.runBackground();
  }

  long evictionBudgetNanos() {
    return policy.evictionBudgetNanos();
  }

  /** Serves so many requests, each with one new block and one resident one. */
  void request(int count) {
    for (int i = 0; i < count; i++) {
      TestRequest request = TestRequest.of(tick * entries.length).sequenceId(tick);
      policy.began(request);
      replace(1);
      access(1);
      policy.ended(request.outputTokens(1));
    }
  }

  // The result of inserted() for the slot.
  @SuppressWarnings("unchecked")
  private N node(int slot) {
    return (N) nodes[slot];
  }

  @Override
  public void close() {
    policy.close();
  }
}
