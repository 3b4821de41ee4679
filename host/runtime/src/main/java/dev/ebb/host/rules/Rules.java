package dev.ebb.host.rules;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.config.RuleConfig;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.swap.PolicySwaps;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.swap.SwapRecord;
import dev.ebb.spi.PolicyClock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Activates the policy of the first rule that holds, and the configured one while none does. Looks
 * once a second. An operator who chooses a policy while a rule is active is obeyed, and the rules
 * pause until they are resumed, or others are configured.
 */
public final class Rules implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Rules.class);
  private static final long LOOK_MILLIS = 1_000;
  private static final long TIMEOUT_SECONDS = 10;

  private final PolicySwaps swaps;
  private final Readings readings;
  private final PolicyClock time;
  private final RuleBook book = new RuleBook();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon(true).name("ebb-policy-rules").factory());
  private String configured;
  private boolean paused;
  private volatile String wanted;
  private volatile RulesReport report = RulesReport.NONE;

  Rules(PolicySwaps swaps, Readings readings, PolicyClock time, String configured) {
    this.swaps = swaps;
    this.readings = readings;
    this.time = time;
    this.configured = configured;
    wanted = configured;
  }

  /**
   * Begins to look.
   *
   * @param swaps activates policies
   * @param site what rules watch
   * @param configured the active policy while no rule is
   * @param rules the first that holds before the others
   * @return to be closed before the site
   */
  public static Rules start(
      PolicySwaps swaps,
      PolicySite site,
      MemoryMonitor memory,
      String configured,
      List<RuleConfig> rules) {
    PolicyClock time = site.clock();
    Rules started = new Rules(swaps, new SiteReadings(site, memory), time, configured);
    started.set(rules);
    // It is ended with its executor, and tells of failures itself.
    var _ =
        started.clock.scheduleWithFixedDelay(
            started::tick, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    return started;
  }

  /**
   * Takes other rules. Those that stay the same go on; a pause is over.
   *
   * @param rules the first that holds before the others
   * @throws UserError if one watches what this process does not measure; nothing has changed then
   */
  public synchronized void set(List<RuleConfig> rules) {
    readings.check(rules);
    book.set(rules);
    paused = false;
    RuleState rule = book.active();
    if (rule != null && !book.states().contains(rule)) {
      end(rule.rule().name() + " is not configured any more");
    }
    publish();
  }

  /**
   * Another policy is configured. It is active at once, unless the file says it while a rule is.
   *
   * @param policy its name
   * @param cause who configures it
   * @throws UserError if it cannot be activated; nothing has changed then
   */
  public synchronized void configure(String policy, SwapCause cause) {
    boolean byFile = cause.kind() == SwapCause.Kind.CONFIG_FILE;
    if (book.active() == null || !byFile) {
      swaps.ensure(policy, cause);
      overrule(cause);
    }
    configured = policy;
    publish();
  }

  /**
   * Goes back to the policy before the active one.
   *
   * @return what was done
   * @throws UserError if there is none, or it fails; nothing has changed then
   */
  public synchronized SwapRecord rollback() {
    SwapRecord record = swaps.rollback();
    overrule(SwapCause.ROLLBACK);
    publish();
    return record;
  }

  /** What an operator says goes before what a rule says, from now on. */
  private void overrule(SwapCause cause) {
    RuleState rule = book.active();
    if (rule != null) {
      paused = true;
      book.active(null, time.nanos());
      LOG.warn("policy rules paused rule={} cause=\"{}\"", rule.rule().name(), cause);
    }
  }

  /** Lets rules decide nothing, and activates the configured policy if one has. */
  public synchronized void pause() {
    paused = true;
    RuleState rule = book.active();
    if (rule != null) {
      end(rule.rule().name() + " is paused");
    }
    publish();
  }

  /** Lets rules decide again. */
  public synchronized void resume() {
    paused = false;
    publish();
  }

  /**
   * Returns the policy that ought to be active.
   *
   * @return that of the active rule, or the configured one
   */
  public String wanted() {
    return wanted;
  }

  /**
   * Returns the rules and how they are. Never waits for a switch.
   *
   * @return as of the last look
   */
  public RulesReport report() {
    return report;
  }

  private void tick() {
    try {
      look();
    } catch (RuntimeException failed) {
      LOG.error("policy rules are not looked at", failed);
    }
  }

  /** Looks once, and acts. */
  synchronized void look() {
    if (book.states().isEmpty()) {
      return;
    }
    long now = time.nanos();
    book.read(readings, now);
    book.states().forEach(state -> state.rearm(swaps.changes()));
    if (!paused) {
      RuleState before = book.active();
      RuleState next = book.winner(this::isAble, now);
      if (next != null && next != before) {
        begin(next);
      } else if (before != null && next == null) {
        boolean able = isAble(before);
        end(
            able
                ? before.whyNot()
                : before.rule().name() + " is over: its policy is in quarantine");
      }
    }
    publish();
  }

  private boolean isAble(RuleState state) {
    return obstacle(state) == null;
  }

  /** Why a rule is passed over though it holds; null if it is not. */
  private @Nullable String obstacle(RuleState state) {
    if (state.refusal() != null) {
      return state.refusal();
    }
    String policy = state.rule().policy().name();
    return swaps.quarantined(policy) == null
        ? null
        : "its policy is in quarantine; clear it with 'ebb policy unquarantine %s'"
            .formatted(policy);
  }

  private void begin(RuleState rule) {
    long changes = swaps.changes();
    try {
      swaps.ensure(rule.rule().policy().name(), SwapCause.rule(rule.why()));
      rule.activate();
      book.active(rule, time.nanos());
      LOG.info(
          "policy rule active rule={} policy={} why=\"{}\"",
          rule.rule().name(),
          rule.rule().policy().name(),
          rule.why());
    } catch (RuntimeException failed) {
      rule.refused(reason(failed), changes);
      LOG.error("policy rule failed rule={} reason=\"{}\"", rule.rule().name(), rule.refusal());
    }
  }

  /** No rule is active any more. What cannot be activated in its place is tried only once. */
  private void end(String why) {
    book.active(null, time.nanos());
    LOG.info("policy rule over policy={} why=\"{}\"", configured, why);
    try {
      swaps.ensure(configured, SwapCause.rule(why));
    } catch (RuntimeException failed) {
      LOG.error("configured policy failed reason=\"{}\"", reason(failed));
    }
  }

  private static String reason(RuntimeException failed) {
    return failed instanceof UserError error
        ? String.join("; ", error.messages())
        : failed.toString();
  }

  private void publish() {
    RuleState rule = book.active();
    long now = time.nanos();
    wanted = rule == null ? configured : rule.rule().policy().name();
    report =
        new RulesReport(
            paused,
            rule == null ? null : rule.rule().name(),
            book.states().stream()
                .map(state -> RulesReport.Item.of(state, obstacle(state), now))
                .toList());
  }

  @Override
  public void close() {
    clock.shutdownNow();
    try {
      if (!clock.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("policy rules still switch a policy");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
