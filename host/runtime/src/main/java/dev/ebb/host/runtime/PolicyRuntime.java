package dev.ebb.host.runtime;

import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.evictionlog.EvictionLogging;
import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.shadow.ConfiguredPolicies;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.swap.FolderWatch;
import dev.ebb.host.swap.PluginReloads;
import dev.ebb.host.swap.PolicySwaps;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.swap.SwapRecord;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Everything that concerns the policies of one site, the same for a server and for an embedded
 * engine: the active policy and those before it, rules, shadows, the eviction log, the
 * configuration that can change, and the watch on the plugin folder.
 */
public final class PolicyRuntime implements AutoCloseable {

  private static final String POLICY = "ebb.eviction.policy";

  private final Closer opened = new Closer();
  private final Host host;
  private final PolicySite site;
  private final Runnable pluginsChanged;
  private final PolicySwaps swaps;
  private final EvictionSource evictions;
  private final EvictionLogging logging;
  private final Shadows shadows;
  private final Rules rules;
  private final RuntimeConfig config;
  private final PluginReloads reloads;

  private PolicyRuntime(
      Host host,
      PolicySite site,
      MemoryMonitor memory,
      Map<String, BiConsumer<EbbConfig, SwapCause>> further,
      Runnable pluginsChanged) {
    this.host = host;
    this.pluginsChanged = pluginsChanged;
    this.site = site;
    EvictionConfig eviction = host.config().eviction();
    String policy = eviction.policy().name();
    try {
      swaps = opened.add(new PolicySwaps(host.pluginHost(), host.policies(), site));
      swaps.swap(policy, SwapCause.START);
      evictions = new EvictionSource(site.evictionLog(), site.blockBytes());
      logging = opened.add(new EvictionLogging(evictions));
      logging.apply(host.config());
      shadows =
          opened.add(
              new Shadows(
                  site,
                  new ConfiguredPolicies(host.pluginHost(), host.policies()),
                  0,
                  new SecureRandom().nextLong()));
      applyShadows(host.config());
      rules = opened.add(Rules.start(swaps, site, memory, policy, eviction.rules()));
      config = changeable(further);
      reloads = new PluginReloads(host.pluginHost(), swaps, rules::wanted);
      if (host.config().plugins().reload()) {
        opened.add(watch());
      }
    } catch (RuntimeException failed) {
      opened.close();
      throw failed;
    }
  }

  /**
   * Makes the configured policy active, and starts what watches the site.
   *
   * @param host plugins and configuration; outlives what is returned
   * @param site where policies serve; outlives what is returned
   * @param memory what rules watch beside the site
   * @param further by full key, what the site does when a value of its own has changed
   * @param pluginsChanged runs when other plugins are loaded, for strategies that are not policies
   *     of the site
   * @return to be closed before the site
   * @throws UserError if the policy cannot be made active
   */
  public static PolicyRuntime start(
      Host host,
      PolicySite site,
      MemoryMonitor memory,
      Map<String, BiConsumer<EbbConfig, SwapCause>> further,
      Runnable pluginsChanged) {
    return new PolicyRuntime(host, site, memory, further, pluginsChanged);
  }

  /** What each key does that can change while the process runs. */
  private RuntimeConfig changeable(Map<String, BiConsumer<EbbConfig, SwapCause>> further) {
    BiConsumer<EbbConfig, SwapCause> limits =
        (next, cause) -> {
          site.limits(limits(next.eviction()));
          shadows.restart();
        };
    BiConsumer<EbbConfig, SwapCause> shadow = (next, cause) -> applyShadows(next);
    Map<String, BiConsumer<EbbConfig, SwapCause>> effects = new HashMap<>(further);
    effects.put("ebb.eviction.log", (next, cause) -> logging.apply(next));
    effects.put("ebb.eviction.policies.*", swaps::configure);
    effects.put(POLICY, (next, cause) -> rules.configure(next.eviction().policy().name(), cause));
    effects.put("ebb.eviction.rules", (next, cause) -> rules.set(next.eviction().rules()));
    effects.put("ebb.eviction.threshold", limits);
    effects.put("ebb.eviction.target", limits);
    effects.put("ebb.eviction.deadline", limits);
    effects.put("ebb.shadow.policies", shadow);
    effects.put("ebb.shadow.rate", shadow);
    return new RuntimeConfig(
        host.config(),
        host.tree(),
        effects,
        change -> new ChangeCheck(host.policies(), change).problems());
  }

  private void applyShadows(EbbConfig next) {
    shadows.set(
        next.shadow().policies().stream().map(PolicySpec::display).toList(), next.shadow().rate());
  }

  private FolderWatch watch() {
    return FolderWatch.start(
        host.config().plugins().folder(),
        host.tree().file(),
        host.config().plugins().rescan(),
        new FolderWatch.Actions(this::reload, config::follow, host.pluginHost()::keepsUnused));
  }

  /** Returns when a site with this configuration evicts ahead of demand. */
  public static EvictionLimits limits(EvictionConfig eviction) {
    return new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
  }

  /**
   * Returns the site.
   *
   * @return where policies serve
   */
  public PolicySite site() {
    return site;
  }

  /** Returns the name of the active policy, which is the built-in one after a fault. */
  public String policy() {
    return site.policy();
  }

  /**
   * Returns the active policy, its history and its quarantine.
   *
   * @return what switches policies
   */
  public PolicySwaps swaps() {
    return swaps;
  }

  /**
   * Returns the rules.
   *
   * @return what chooses the policy
   */
  public Rules rules() {
    return rules;
  }

  /**
   * Returns the shadows.
   *
   * @return the policies that run beside the active one
   */
  public Shadows shadows() {
    return shadows;
  }

  /**
   * Returns the configuration.
   *
   * @return what can be changed
   */
  public RuntimeConfig config() {
    return config;
  }

  /**
   * Returns the evictions.
   *
   * @return the log and its unit
   */
  public EvictionSource evictions() {
    return evictions;
  }

  /**
   * Makes a policy active, and configures it. A rule that is active pauses the rules.
   *
   * @param wanted the policy, and the settings to change
   * @return the values of the configuration that have changed
   * @throws UserError if it cannot be made active; nothing has changed then
   */
  public RuntimeConfig.Plan use(PolicySpec wanted) {
    String section = config.config().eviction().policies().pathOf(wanted.name());
    Map<String, Object> values = new TreeMap<>(Map.of(POLICY, wanted.name()));
    wanted
        .settings()
        .entrySet()
        .forEach(setting ->
            values.put(section + "." + setting.getKey(), setting.getValue().unwrapped()));
    RuntimeConfig.Plan made = config.commit(values, SwapCause.OPERATOR);
    // After a fault, or by a rule, the configured policy is not the active one.
    rules.configure(wanted.name(), SwapCause.OPERATOR);
    return made;
  }

  /**
   * Goes back to the policy before the active one, and to the JAR that it came from then.
   *
   * @return what was done
   * @throws UserError if there is none, or it fails; nothing has changed then
   */
  public SwapRecord rollback() {
    return noticing(() -> {
      SwapRecord record = rules.rollback();
      config.commit(Map.of(POLICY, record.to().name()), SwapCause.ROLLBACK);
      return record;
    });
  }

  /**
   * Loads what has changed in the plugin folder, JARs that failed before included.
   *
   * @throws UserError if the folder cannot be read
   */
  public PluginReloads.Result reload() {
    return noticing(reloads::retry);
  }

  private void reload(Set<Path> unsettled) {
    noticing(() -> reloads.reload(unsettled));
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
