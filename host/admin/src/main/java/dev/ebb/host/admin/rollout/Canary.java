package dev.ebb.host.admin.rollout;

import dev.ebb.host.admin.rollout.CanaryDocument.Shadow;
import dev.ebb.host.admin.rollout.CanaryDocument.Traffic;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Json;
import dev.ebb.host.lifecycle.Ticker;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.RuntimeConfig.Change;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A policy, or new JARs of plugins, that this node tries. It goes back when the time is over unless
 * an operator keeps it, and immediately if the policy fails. A restart goes back too, because the
 * configuration file has not changed. While it runs, a shadow estimates the policy before.
 */
final class Canary implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Canary.class);
  private static final String SHADOWS = ShadowConfig.POLICIES.path();
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

  private final PolicyRuntime runtime;
  private final Supplier<Traffic> traffic;
  private final Ticker ticker;
  private @Nullable Trial last;

  Canary(PolicyRuntime runtime, Supplier<Traffic> traffic) {
    this.runtime = runtime;
    this.traffic = traffic;
    ticker = new Ticker("ebb-canary", Duration.ofMillis(200), this::tick);
  }

  private enum State {
    RUNNING,
    KEPT,
    REVERTED,
    /** Another policy was chosen meanwhile. */
    OVERRIDDEN
  }

  /** What is tried, and how it goes back. */
  private static final class Trial {
    final long id = ThreadLocalRandom.current().nextLong(1, Integer.MAX_VALUE);
    final String policy;
    final String name;
    final String before;
    final Runnable back;
    final Traffic start;
    final long endNanos;

    /** The shadow of the policy before; null if there is none. */
    @Nullable String shadow;

    /** The shadow was added for this trial, and is removed with it. */
    boolean ownShadow;

    State state = State.RUNNING;

    /** Why it goes back, or went back; null while it does not. */
    @Nullable String reason;

    /** Why it could not go back; null if it could, or did not have to. */
    @Nullable String failure;

    Duration pause = FIRST_PAUSE;
    long nextNanos = System.nanoTime();

    /** What it has measured, when it has ended. */
    @Nullable CanaryDocument end;

    Trial(String policy, String name, String before, Runnable back, Traffic start, Duration life) {
      this.policy = policy;
      this.name = name;
      this.before = before;
      this.back = back;
      this.start = start;
      endNanos = System.nanoTime() + life.toNanos();
    }
  }

  /**
   * Switches to a policy for some time.
   *
   * @throws UserError if the policy cannot be activated, it is active already, or another trial
   *     runs; nothing has changed then
   */
  synchronized CanaryDocument start(PolicySpec wanted, Duration life, boolean compares) {
    refuseSecond();
    String before = runtime.policy();
    Traffic start = traffic.get();
    if (wanted.name().equals(before)
        && runtime
            .config()
            .plan(Map.of(EvictionConfig.POLICY.path(), wanted.display()))
            .changes()
            .isEmpty()) {
      throw new UserError(
          "policy '%s' is active with these settings already; choose another one"
              .formatted(wanted.display()));
    }
    List<Change> changes = runtime.use(wanted).changes();
    Trial trial =
        new Trial(wanted.display(), wanted.name(), before, () -> restore(changes), start, life);
    last = trial;
    LOG.info("canary started policy={} before={} life={}", trial.policy, before, life);
    if (compares) {
      shadow(trial, shadowOf(before, changes));
    }
    return document();
  }

  /**
   * Loads the changed JARs of the plugin folder for some time.
   *
   * @throws UserError if that does not change the active policy, or another trial runs
   */
  synchronized CanaryDocument startJars(Duration life) {
    refuseSecond();
    StrategyVersion before = runtime.switcher().active();
    Traffic start = traffic.get();
    runtime.reload();
    StrategyVersion now = runtime.switcher().active();
    if (Objects.equals(before, now)) {
      throw new UserError(
          "the plugin folder has no new version of the active policy '%s'; put its JAR there, with ebb.plugins.reload = false, and see 'ebb plugins list'"
              .formatted(before.name()));
    }
    last = new Trial(now.toString(), now.name(), before.toString(), runtime::rollback, start, life);
    LOG.info("canary started policy={} before={} life={}", now, before, life);
    return document();
  }

  private void refuseSecond() {
    Trial trial = last;
    if (trial != null && trial.state == State.RUNNING) {
      throw new UserError(
          "this node tries policy '%s' already; wait for its end, or stop it with DELETE /api/v1/policy/canary"
              .formatted(trial.policy));
    }
    String rule = runtime.rules().report().active();
    if (rule != null) {
      throw new UserError(
          "rule '%s' has chosen the active policy; pause the rules first with 'ebb policy rules pause'"
              .formatted(rule));
    }
  }

  /** Returns the policy before with the settings that it had. */
  private static String shadowOf(String before, List<Change> changes) {
    String section = EvictionConfig.POLICIES.path() + "." + before + ".";
    String settings =
        changes.stream()
            .filter(
                each -> each.key().startsWith(section) && !String.valueOf(each.from()).isEmpty())
            .map(each -> each.key().substring(section.length()) + "=" + each.from())
            .collect(Collectors.joining(", "));
    return settings.isEmpty() ? before : "%s(%s)".formatted(before, settings);
  }

  /** Starts a shadow. Without one, the other nodes are the only comparison. */
  private void shadow(Trial trial, String policy) {
    List<String> running = shadows();
    try {
      trial.ownShadow = !running.contains(policy);
      if (trial.ownShadow) {
        List<String> all = new ArrayList<>(running);
        all.add(policy);
        runtime.config().commit(Map.of(SHADOWS, all), SwitchCause.OPERATOR);
      }
      trial.shadow = policy;
    } catch (UserError refused) {
      trial.ownShadow = false;
      LOG.warn("canary without shadow policy={} reason=\"{}\"", policy, refused.getMessage());
    }
  }

  private List<String> shadows() {
    return runtime.config().config().shadow().policies().stream().map(ShadowSpec::display).toList();
  }

  private void restore(List<Change> changes) {
    Map<String, @Nullable Object> values = new HashMap<>();
    changes.forEach(
        each -> values.put(each.key(), String.valueOf(each.from()).isEmpty() ? null : each.from()));
    runtime.config().commit(values, SwitchCause.ROLLBACK);
  }

  private synchronized void tick() {
    Trial trial = last;
    if (trial == null || trial.state != State.RUNNING) {
      return;
    }
    String active = runtime.policy();
    if (!active.equals(trial.name) && !active.equals(BuiltInLru.NAME)) {
      end(trial, State.OVERRIDDEN, "policy '%s' was chosen meanwhile".formatted(active));
    } else if (System.nanoTime() - trial.nextNanos >= 0) {
      String why = reason(trial, active);
      if (why != null) {
        retry(trial, why);
      }
    }
  }

  private static @Nullable String reason(Trial trial, String active) {
    if (trial.reason != null) {
      return trial.reason;
    }
    if (active.equals(BuiltInLru.NAME)) {
      return "the policy has failed; 'ebb policy show' has the reason";
    }
    return System.nanoTime() - trial.endNanos >= 0
        ? "the time was over and nobody has kept it"
        : null;
  }

  /** Goes back, or does so later: an obstacle that an operator must remove may last for hours. */
  private void retry(Trial trial, String why) {
    try {
      revert(why);
    } catch (RuntimeException failed) {
      LOG.error(
          "canary cannot go back policy={} before={} reason=\"{}\" retry={}; remove the cause, or"
              + " choose a policy with 'ebb policy set NAME'",
          trial.policy,
          trial.before,
          trial.failure,
          TimeSpan.format((double) trial.pause.toSeconds()),
          failed instanceof UserError ? null : failed);
      trial.pause = Collections.min(List.of(LONGEST_PAUSE, trial.pause.multipliedBy(2)));
    }
  }

  synchronized CanaryDocument keep() {
    Trial trial = running();
    end(trial, State.KEPT, null);
    return document();
  }

  /** Goes back. If that fails, it is tried again after growing pauses. */
  synchronized CanaryDocument revert(String reason) {
    Trial trial = running();
    trial.reason = reason;
    trial.end = trial.end == null ? document() : trial.end;
    try {
      trial.back.run();
    } catch (RuntimeException failed) {
      trial.failure = String.valueOf(failed.getMessage());
      trial.nextNanos = System.nanoTime() + trial.pause.toNanos();
      throw failed;
    }
    end(trial, State.REVERTED, reason);
    return document();
  }

  private Trial running() {
    Trial trial = last;
    if (trial == null || trial.state != State.RUNNING) {
      throw new UserError("this node tries no policy; GET /api/v1/policy/canary has the last one");
    }
    return trial;
  }

  private void end(Trial trial, State state, @Nullable String reason) {
    trial.end = trial.end == null ? document() : trial.end;
    trial.state = state;
    trial.reason = reason;
    trial.failure = null;
    LOG.info("canary {} policy={} reason=\"{}\"", state, trial.policy, reason);
    if (trial.ownShadow) {
      removeShadow(trial);
    }
  }

  private void removeShadow(Trial trial) {
    List<String> others = new ArrayList<>(shadows());
    others.remove(trial.shadow);
    try {
      runtime.config().commit(Map.of(SHADOWS, others), SwitchCause.OPERATOR);
    } catch (UserError refused) {
      LOG.warn(
          "canary has ended, but its shadow runs on policy={} reason=\"{}\"; remove it with 'ebb"
              + " policy shadow'",
          trial.shadow,
          refused.getMessage());
    }
  }

  /**
   * Returns the trial that runs or was the last one.
   *
   * @throws HttpException if there was none since the start
   */
  synchronized CanaryDocument document() {
    Trial trial = last;
    if (trial == null) {
      throw new HttpException(404, "this node has tried no policy since its start");
    }
    CanaryDocument measured = trial.end;
    boolean running = trial.state == State.RUNNING;
    long left = TimeUnit.NANOSECONDS.toSeconds(trial.endNanos - System.nanoTime());
    return new CanaryDocument(
        trial.id,
        trial.policy,
        trial.before,
        Json.word(trial.state),
        trial.reason,
        trial.failure,
        running ? Math.max(0, left) : 0,
        measured == null ? traffic.get().since(trial.start) : measured.traffic(),
        measured == null ? shadow(trial) : measured.shadow());
  }

  private @Nullable Shadow shadow(Trial trial) {
    return runtime.shadows().report().candidates().stream()
        .filter(each -> !each.active() && each.policy().equals(trial.shadow))
        .map(Shadow::of)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  @Override
  public void close() {
    ticker.close();
  }
}
