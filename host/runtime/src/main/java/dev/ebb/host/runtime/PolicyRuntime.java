package dev.ebb.host.runtime;

import dev.ebb.host.cache.DamageWatch;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.config.StateConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.evictionlog.EvictionLogging;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.lifecycle.Ticker;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.policy.AutoChoice;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.runtime.SiteConfigAppliers.Applier;
import dev.ebb.host.shadow.ConfiguredPolicies;
import dev.ebb.host.shadow.MemoryCurve;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.switching.FolderWatch;
import dev.ebb.host.switching.PluginReloads;
import dev.ebb.host.switching.PolicyStates;
import dev.ebb.host.switching.PolicySwitcher;
import dev.ebb.host.switching.StateFolderLock;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy subsystem of one site, used by the server and by an embedded engine. It owns the
 * active policy, the rules, the shadow policies and the eviction log. It also owns the run-time
 * configuration and the watch on the plugin folder.
 */
public final class PolicyRuntime implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PolicyRuntime.class);

  /** How long the end of the process waits for the last save. */
  private static final Duration LAST_SAVE = Duration.ofSeconds(10);

  private final Closer opened = new Closer();
  private final Host host;
  private final JoinedSites site;
  private final Runnable pluginsChanged;
  private final PolicySwitcher switcher;
  private final EvictionLogging logging;
  private final Shadows shadows;
  private final MemoryCurve curve;
  private final Rules rules;
  private final RuntimeConfig config;
  private final PluginReloads reloads;
  private final DamageWatch damage;

  private PolicyRuntime(
      Host host, PolicySite first, MemoryMonitor memory, SiteConfigAppliers further) {
    this.host = host;
    this.pluginsChanged = further.pluginsChanged();
    boolean sequences = host.config().server().sequencesBytes() > 0;
    site = new JoinedSites(first, sequences ? List.of(ServerConfig.SEQUENCES_PART) : List.of());
    EvictionConfig eviction = host.config().eviction();
    String policy = eviction.policy().name();
    try {
      StateConfig state = host.config().state();
      PolicyStates states = new PolicyStates(state.folder());
      if (state.folder() != null) {
        opened.add(StateFolderLock.of(state.folder()));
      }
      switcher = opened.add(new PolicySwitcher(host.pluginHost(), host.policies(), site, states));
      switcher.switchTo(policy, SwitchCause.START);
      logging = opened.add(new EvictionLogging(site.evictionLog()));
      logging.apply(host.config());
      ConfiguredPolicies source = new ConfiguredPolicies(host.pluginHost(), host.policies());
      SecureRandom random = new SecureRandom();
      shadows = opened.add(new Shadows(site, source, 0, random.nextLong()));
      curve = opened.add(new MemoryCurve(site, source, random.nextLong()));
      applyShadows(host.config());
      rules = opened.add(Rules.start(switcher, site, memory, policy, eviction.rules()));
      config = changeable(further.settings());
      reloads = new PluginReloads(host.pluginHost(), switcher, rules::wanted);
      if (host.config().plugins().reload()) {
        opened.add(watch());
        Duration rescan = host.config().plugins().rescan();
        opened.add(new Ticker("ebb-config-reread", rescan, config::reread));
      }
      if (state.folder() != null) {
        opened.add(saver(state.interval()));
      }
      damage = opened.add(DamageWatch.start(site));
    } catch (RuntimeException failed) {
      opened.close();
      throw failed;
    }
  }

  /**
   * Activates the configured policy and starts the components that observe the site.
   *
   * @param host plugins and configuration; must outlive the runtime
   * @param site the site that the policies serve; must outlive the runtime
   * @return the runtime; close it before the site
   * @throws UserError if the policy cannot be activated
   */
  public static PolicyRuntime start(
      Host host, PolicySite site, MemoryMonitor memory, SiteConfigAppliers further) {
    return new PolicyRuntime(host, site, memory, further);
  }

  private RuntimeConfig changeable(Map<ConfigKey<?>, Applier> further) {
    Applier limits =
        (next, cause) -> {
          site.limits(limits(next.eviction()));
          shadows.restart();
          curve.restart();
        };
    Applier shadow = (next, cause) -> applyShadows(next);
    Map<ConfigKey<?>, Applier> appliers = new HashMap<>(further);
    appliers.put(EvictionLogConfig.ENABLED, (next, cause) -> logging.apply(next));
    Applier policy = rules::configure;
    appliers.put(EvictionConfig.POLICIES, policy);
    appliers.put(EvictionConfig.POLICY, policy);
    appliers.put(EvictionConfig.RULES, (next, cause) -> rules.set(next.eviction().rules()));
    appliers.put(EvictionConfig.THRESHOLD, limits);
    appliers.put(EvictionConfig.TARGET, limits);
    appliers.put(EvictionConfig.DEADLINE, limits);
    appliers.put(ShadowConfig.POLICIES, shadow);
    appliers.put(ShadowConfig.RATE, shadow);
    appliers.put(ShadowConfig.CURVE, shadow);
    return new RuntimeConfig(host.config(), host.tree(), appliers, host.policies());
  }

  /** Saves what the active policy has learned, regularly and at the end. */
  private AutoCloseable saver(Duration interval) {
    Ticker saver = new Ticker("ebb-policy-state", interval, switcher::saveStates);
    return () -> {
      if (!saver.close(switcher::saveStates, LAST_SAVE)) {
        LOG.warn("saving policy state timed out timeout={}", LAST_SAVE);
      }
    };
  }

  private void applyShadows(EbbConfig next) {
    shadows.set(
        next.shadow().policies().stream().map(ShadowSpec::display).toList(), next.shadow().rate());
    curve.enable(next.shadow().curve(), next.shadow().rate());
  }

  private FolderWatch watch() {
    return FolderWatch.start(
        host.config().plugins().folder(),
        host.tree().file(),
        host.config().plugins().rescan(),
        new FolderWatch.Actions(this::reload, config::follow, host.pluginHost()::isOverdue));
  }

  /** Returns the limits of background eviction for a configuration. */
  public static EvictionLimits limits(EvictionConfig eviction) {
    return new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
  }

  public PolicySite site() {
    return site;
  }

  /**
   * Serves another site too, until it leaves: one policy, the same rules, shadow policies,
   * recordings and limits of background eviction.
   *
   * @param other a site with one place and the eviction log of this one
   * @throws UserError if the policy cannot be activated there; the other site has not joined then
   */
  public void join(PolicySite other) {
    other.limits(limits(config.config().eviction()));
    String place = other.places().getFirst().name();
    switcher.join(place, () -> site.add(other), () -> site.remove(other));
    shadows.restart();
    curve.restart();
  }

  public void leave(PolicySite other) {
    site.remove(other);
    shadows.restart();
    curve.restart();
  }

  /** Returns the name of the active policy, which is the built-in policy after a fault. */
  public String policy() {
    return site.policy();
  }

  /**
   * Returns the policy that the automatic choice uses now.
   *
   * @return its name, or several names if the partitions differ; null if {@code auto} is not active
   */
  public @Nullable String chosen() {
    return AutoChoice.of(
        policy(),
        config.config().eviction().policies(),
        site.places().stream().map(PolicyPlace::policyGauges).toList());
  }

  /**
   * Returns what is wrong with the records of the cache, which no switch of the policy fixes: the
   * process must be started again.
   */
  public @Nullable String damage() {
    return damage.damage();
  }

  public PolicySwitcher switcher() {
    return switcher;
  }

  public Rules rules() {
    return rules;
  }

  public Shadows shadows() {
    return shadows;
  }

  public MemoryCurve curve() {
    return curve;
  }

  public RuntimeConfig config() {
    return config;
  }

  /**
   * Activates and configures a policy. If a rule is active, the rules pause.
   *
   * @throws UserError if the policy cannot be activated; nothing has changed then
   */
  public RuntimeConfig.Plan use(PolicySpec wanted) {
    if (wanted.name().equals(BuiltInLru.NAME)) {
      throw new UserError(PluginCatalog.FALLBACK);
    }
    return config.use(wanted, SwitchCause.OPERATOR, rules::choose);
  }

  /**
   * Switches back to the previous policy and to the JAR it came from.
   *
   * @throws UserError if there is no previous policy, or the switch fails; nothing has changed then
   */
  public SwitchRecord rollback() {
    return noticing(() -> {
      SwitchRecord record = rules.rollback();
      config.use(PolicySpec.of(record.to().name()), SwitchCause.ROLLBACK, rules::choose);
      return record;
    });
  }

  /**
   * Loads changes in the plugin folder. JARs that failed before are retried.
   *
   * @throws UserError if the folder cannot be read
   */
  public PluginReloads.Result reload() {
    PluginReloads.Result result = noticing(reloads::retry);
    config.retry();
    return result;
  }

  private void reload(Set<Path> unsettled) {
    noticing(() -> reloads.reload(unsettled));
    config.retry();
  }

  private <T> T noticing(Supplier<T> action) {
    long before = host.pluginHost().changes();
    try {
      return action.get();
    } finally {
      if (host.pluginHost().changes() != before) {
        pluginsChanged.run();
      }
    }
  }

  @Override
  public void close() {
    opened.close();
  }
}
