package dev.ebb.host.rules;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Ticker;
import dev.ebb.host.switching.PolicySwitcher;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.spi.PolicyClock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Activates the policy of the first rule that holds, or the configured policy while no rule holds.
 * The rules are evaluated once a second. If an operator chooses a policy while a rule is active,
 * the rules pause. They resume on request or when other rules are configured.
 */
public final class Rules implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Rules.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final PolicySwitcher switcher;
  private final Readings readings;
  private final PolicyClock time;
  private final RuleBook book = new RuleBook();
  private @Nullable Ticker ticker;
  private String configured;
  private boolean paused;
  private volatile String wanted;
  private volatile RulesReport report = RulesReport.NONE;

  Rules(PolicySwitcher switcher, Readings readings, PolicyClock time, String configured) {
    this.switcher = switcher;
    this.readings = readings;
    this.time = time;
    this.configured = configured;
    wanted = configured;
  }

  /**
   * Starts evaluating rules.
   *
   * @param rules in order of precedence
   * @return the running rules; close them before the site
   */
  public static Rules start(
      PolicySwitcher switcher,
      PolicySite site,
      MemoryMonitor memory,
      String configured,
      List<RuleConfig> rules) {
    PolicyClock time = site.clock();
    Rules started = new Rules(switcher, new SiteReadings(site, memory), time, configured);
    started.set(rules);
    started.ticker = new Ticker("ebb-policy-rules", PAUSE, started::look);
    return started;
  }

  /**
   * Replaces the rules. Unchanged rules keep their state, and a pause ends.
   *
   * @param rules in order of precedence
   * @throws UserError if a rule watches a value that this process does not measure; nothing has
   *     changed then
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
   * Applies new settings of policies. If the configured policy changes too, it becomes active
   * immediately, unless the cause is the configuration file and a rule is active.
   *
   * @throws UserError if it cannot be activated; nothing has changed then
   */
  public synchronized void configure(EbbConfig config, SwitchCause cause) {
    String policy = config.eviction().policy().name();
    boolean byFile = cause.kind() == SwitchCause.Kind.CONFIG_FILE;
    if (policy.equals(configured) || (byFile && book.active() != null)) {
      switcher.configure(config, cause);
      configured = policy;
      publish();
    } else {
      choose(config, cause);
    }
  }

  /**
   * Activates the configured policy with its settings. If a rule is active, the rules pause.
   *
   * @throws UserError if it cannot be activated; nothing has changed then
   */
  public synchronized void choose(EbbConfig config, SwitchCause cause) {
    String policy = config.eviction().policy().name();
    switcher.use(policy, config, cause);
    overrule(cause);
    configured = policy;
    publish();
  }

  /**
   * Switches back to the previous policy.
   *
   * @throws UserError if there is no previous policy, or the switch fails; nothing has changed then
   */
  public synchronized SwitchRecord rollback() {
    SwitchRecord record = switcher.rollback();
    overrule(SwitchCause.ROLLBACK);
    publish();
    return record;
  }

  /** Pauses the rules, because an operator's choice takes precedence over them. */
  private void overrule(SwitchCause cause) {
    RuleState rule = book.active();
    if (rule != null) {
      paused = true;
      book.active(null, time.nanos());
      LOG.warn("policy rules paused rule={} cause=\"{}\"", rule.rule().name(), cause);
    }
  }

  /** Pauses the rules. If a rule is active, the configured policy becomes active. */
  public synchronized void pause() {
    paused = true;
    RuleState rule = book.active();
    if (rule != null) {
      end(rule.rule().name() + " is paused");
    }
    publish();
  }

  public synchronized void resume() {
    paused = false;
    publish();
  }

  /** Returns the policy that should be active: that of the active rule, or the configured one. */
  public String wanted() {
    return wanted;
  }

  /** Returns the rules and their states. Does not wait for a policy switch. */
  public RulesReport report() {
    return report;
  }

  synchronized void look() {
    if (book.states().isEmpty()) {
      return;
    }
    long now = time.nanos();
    book.read(readings, now);
    book.states().forEach(state -> state.rearm(switcher.changes()));
    if (!paused) {
      RuleState before = book.active();
      RuleState next = book.winner(this::isAble, now);
      if (next != null && next != before) {
        begin(next);
      } else if (before != null && next == null) {
        boolean able = isAble(before);
        end(
            able
                ? before.endReason()
                : before.rule().name() + " is over: its policy is in quarantine");
      }
    }
    publish();
  }

  private boolean isAble(RuleState state) {
    return obstacle(state) == null;
  }

  /** Returns why a rule that holds is skipped; null if it is not skipped. */
  private @Nullable String obstacle(RuleState state) {
    if (state.refusal() != null) {
      return state.refusal();
    }
    String policy = state.rule().policy().name();
    return switcher.quarantined(policy) == null
        ? null
        : "its policy is in quarantine; clear it with 'ebb policy unquarantine %s'"
            .formatted(policy);
  }

  private void begin(RuleState rule) {
    long changes = switcher.changes();
    try {
      switcher.ensure(rule.rule().policy().name(), SwitchCause.rule(rule.why()));
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

  /** Ends the active rule. If the policy that follows cannot be activated, it is not retried. */
  private void end(String why) {
    book.active(null, time.nanos());
    LOG.info("policy rule over policy={} why=\"{}\"", configured, why);
    try {
      switcher.ensure(configured, SwitchCause.rule(why));
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
    if (ticker != null && !ticker.close(TIMEOUT)) {
      LOG.warn("policy rules still switch a policy");
    }
  }
}
