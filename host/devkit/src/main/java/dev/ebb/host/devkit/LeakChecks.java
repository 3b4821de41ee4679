package dev.ebb.host.devkit;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.Prediction;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.testkit.TestContext;
import dev.ebb.testkit.TestEntry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Loads a JAR, uses it, closes it, and checks what it leaves behind: leaks stay in the host's
 * memory for each reloaded version.
 */
final class LeakChecks {

  private static final int RESIDENTS = 64;
  private static final int EVENTS = 500;
  private static final long USE_SECONDS = 60;

  private final EbbConfig config;
  private final CandidateFolder folder;
  private final Verification.Limits limits;
  private final List<VerifyFinding> findings = new ArrayList<>();
  private final Set<String> started = new TreeSet<>();

  LeakChecks(EbbConfig config, CandidateFolder folder, Verification.Limits limits) {
    this.config = config;
    this.folder = folder;
    this.limits = limits;
  }

  List<VerifyFinding> run() {
    Set<Thread> before = threads();
    AtomicReference<@Nullable WeakReference<ClassLoader>> used = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    // A thread that lives on, like a host's threads: thread locals left on it stay.
    Thread user =
        Thread.ofPlatform()
            .daemon()
            .name("candidate")
            .start(() -> {
              try {
                used.set(loadUseAndClose());
              } finally {
                done.countDown();
              }
              await(leave, Long.MAX_VALUE);
            });
    boolean ended = await(done, USE_SECONDS);
    before.add(user);
    WeakReference<ClassLoader> loader = used.get();
    if (!ended || loader == null) {
      leave.countDown();
      findings.add(
          VerifyFinding.ofPlugin(
              "can be loaded again and closed",
              false,
              ended ? "it failed" : "not done after " + USE_SECONDS + " s"));
      return findings;
    }
    String left = threadsLeft(before);
    findings.add(threads("starts no thread", "before", String.join(", ", started)));
    findings.add(threads("leaves no thread", "after", left));
    boolean collected = within(limits.collection(), () -> isCollected(loader));
    leave.countDown();
    findings.add(
        VerifyFinding.ofPlugin(
            "leaves nothing in memory",
            collected,
            collected
                ? ""
                : why(left, join(user) && within(limits.collection(), () -> isCollected(loader)))));
    return findings;
  }

  private static VerifyFinding threads(String check, String when, String names) {
    return VerifyFinding.ofPlugin(
        check,
        names.isEmpty(),
        names.isEmpty()
            ? ""
            : "running %s close(): %s; start no threads: the host calls an instance when necessary"
                .formatted(when, names));
  }

  private static String why(String threadsLeft, boolean goneWithTheThread) {
    String what = "its classes cannot be unloaded, so that each reload costs memory: ";
    if (goneWithTheThread) {
      return what
          + "it leaves a ThreadLocal on the host's thread; keep state in fields of the instance";
    }
    return what
        + (threadsLeft.isEmpty()
            ? "something outside refers to them, such as a shutdown hook, a timer, a logger or an"
                + " MBean; undo it in close()"
            : "the threads it left refer to them");
  }

  private @Nullable WeakReference<ClassLoader> loadUseAndClose() {
    try (CandidatePlugins plugins = CandidatePlugins.open(config, folder)) {
      WeakReference<ClassLoader> loader = null;
      for (StrategyKind<?> kind : StrategyKind.ALL) {
        for (Strategy<?> strategy : plugins.strategies(kind)) {
          loader = new WeakReference<>(strategy.owner().getClass().getClassLoader());
        }
      }
      for (var policy : plugins.strategies(StrategyKind.POLICY)) {
        use(policy, () -> DrivenPolicy.useHere(policy, context(plugins), RESIDENTS, this::drive));
      }
      for (var policy : plugins.strategies(StrategyKind.TOKEN_POLICY)) {
        use(
            policy,
            () -> declare(ConfiguredProviders.tokenPolicy(policy).create(context(plugins))));
      }
      for (var budget : plugins.strategies(StrategyKind.TOKEN_BUDGET)) {
        use(budget, () -> ConfiguredProviders.tokenBudget(budget).create(context(plugins)).close());
      }
      for (var predictor : plugins.strategies(StrategyKind.PREDICTOR)) {
        use(predictor, () -> predict(ConfiguredProviders.predictor(predictor), context(plugins)));
      }
      for (var policy : plugins.strategies(StrategyKind.PREEMPTION)) {
        use(policy, () -> ConfiguredProviders.preemption(policy).create(context(plugins)).close());
      }
      return loader;
    }
  }

  private static TestContext context(CandidatePlugins plugins) {
    return Contexts.of(plugins.catalog(), RESIDENTS);
  }

  /** Other checks report failures while it runs. */
  private static void use(Strategy<?> strategy, Runnable body) {
    try {
      PluginCall.call(
          strategy.owner(),
          strategy.name() + " failed",
          () -> {
            body.run();
            return true;
          });
    } catch (RuntimeException failure) {
      // Not kept: it would refer to the plugin's classes.
    }
  }

  private boolean drive(DrivenPolicy<?> policy) {
    policy.fill();
    policy.access(EVENTS);
    policy.replace(EVENTS);
    policy.runBackground();
    noteThreads();
    return true;
  }

  private void declare(TokenPolicy policy) {
    try (policy) {
      var _ = policy.signals();
      var _ = policy.granularity();
      noteThreads();
    }
  }

  private void predict(LifetimePredictorProvider provider, TestContext context) {
    try (LifetimePredictor predictor = provider.create(context)) {
      TestEntry entry = TestEntry.of(1).created(0, 1);
      predictor.observe(entry, LifetimePredictor.Event.INSERTED, 0);
      predictor.predict(entry.used(1_000_000, 2), new Prediction());
      noteThreads();
    }
  }

  /**
   * Records threads; a thread inherits its context class loader from its creator: here the
   * plugin's, while called.
   */
  private void noteThreads() {
    Thread caller = Thread.currentThread();
    ClassLoader plugin = caller.getContextClassLoader();
    for (Thread thread : threads()) {
      if (thread != caller && thread.isAlive() && thread.getContextClassLoader() == plugin) {
        started.add(thread.getName());
      }
    }
  }

  /**
   * Returns the remaining threads. Those of the JVM come and go too, but have no frames of a
   * plugin.
   */
  private String threadsLeft(Set<Thread> before) {
    Set<Thread> left = new HashSet<>();
    within(
        limits.threads(),
        () -> {
          left.clear();
          left.addAll(threads());
          left.removeAll(before);
          left.removeIf(thread -> !thread.isAlive() || isOfTheJvm(thread));
          return left.isEmpty();
        });
    return left.stream().map(Thread::getName).sorted().collect(Collectors.joining(", "));
  }

  private static boolean isOfTheJvm(Thread thread) {
    ThreadGroup group = thread.getThreadGroup();
    return group == null || "system".equals(group.getName());
  }

  /** Describes the threads; an abandoned call was reported, and its thread is not the plugin's. */
  private static Set<Thread> threads() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(thread -> thread.getName().equals(PluginCall.THREAD));
    return threads;
  }

  private static boolean isCollected(WeakReference<ClassLoader> loader) {
    System.gc();
    return loader.refersTo(null);
  }

  private boolean join(Thread thread) {
    try {
      return thread.join(limits.collection());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean within(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      await(new CountDownLatch(1), 0);
    }
    return true;
  }

  private static boolean await(CountDownLatch latch, long seconds) {
    try {
      return seconds == 0
          ? latch.await(20, TimeUnit.MILLISECONDS)
          : latch.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
