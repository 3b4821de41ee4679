package dev.ebb.host.switching;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.PreparedPolicies;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.PluginUpdate;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.spi.BlockPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Switches policies, one switch at a time, in named steps. If a step before publication fails, the
 * previous policy stays active. All switches are recorded.
 */
public final class PolicySwitcher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PolicySwitcher.class);

  private final PluginHost plugins;
  private final PolicyFactory factory;
  private final PolicySite site;
  private final PolicyStates states;

  private final SwitchHistory history = new SwitchHistory();
  private final Quarantine quarantine = new Quarantine();
  private final ExecutorService faults =
      Executors.newSingleThreadExecutor(PolicySwitcher::quarantineThread);
  private volatile ActivePolicy active;
  private volatile @Nullable StrategyVersion previous;

  public PolicySwitcher(
      PluginHost plugins, PolicyFactory factory, PolicySite site, PolicyStates states) {
    this.plugins = plugins;
    this.factory = factory;
    this.site = site;
    this.states = states;
    active =
        new ActivePolicy(StrategyVersion.builtIn(BuiltInLru.NAME), null, (policy, fault) -> {});
    plugins.onUnload(history::unloaded);
  }

  /**
   * Creates the thread with the class loader of the host, because the creating thread may use that
   * of a plugin.
   */
  private static Thread quarantineThread(Runnable task) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name("ebb-policy-quarantine")
            .unstarted(task);
    thread.setContextClassLoader(PolicySwitcher.class.getClassLoader());
    return thread;
  }

  /**
   * Activates a policy.
   *
   * @return the switch; the previous policy may still be closing
   * @throws UserError if it fails; the previous policy stays active
   */
  public synchronized SwitchRecord switchTo(String policy, SwitchCause cause) {
    return run(policy, cause, null);
  }

  /** Activates a policy unless a policy of that name is active. */
  public synchronized void ensure(String policy, SwitchCause cause) {
    if (!active().name().equals(policy)) {
      run(policy, cause, null);
    }
  }

  /**
   * Changes the places of the site, and activates its policy in those that are new.
   *
   * @throws UserError if it fails; the policy stays active in the other places
   */
  public synchronized void join(String place, Runnable add, Runnable remove) {
    add.run();
    try {
      run(active().name(), SwitchCause.joined(place), null);
    } catch (RuntimeException failed) {
      remove.run();
      throw failed;
    }
  }

  /**
   * Activates a policy together with newly loaded plugins.
   *
   * @param update accepted if the switch succeeds; otherwise left to the caller
   * @throws UserError if it fails; the previous policy and plugins stay active
   */
  synchronized SwitchRecord switchTo(String policy, SwitchCause cause, PluginUpdate update) {
    return run(policy, cause, update);
  }

  /**
   * Applies new settings of policies. If the settings of the active policy change, it is recreated.
   * If its JAR was removed, it stays active unchanged.
   */
  public synchronized void configure(EbbConfig config, SwitchCause cause) {
    String policy = active().name();
    apply(config, exists(policy) && usesOther(config), policy, cause);
  }

  /**
   * Applies new settings of policies, and activates a policy unless it is active with these
   * settings.
   */
  public synchronized void use(String policy, EbbConfig config, SwitchCause cause) {
    boolean changed = !active().name().equals(policy) || usesOther(config);
    apply(config, changed, policy, cause);
  }

  private void apply(EbbConfig config, boolean changed, String policy, SwitchCause cause) {
    EbbConfig before = factory.configure(config);
    try {
      if (changed) {
        run(policy, cause, null);
      }
    } catch (RuntimeException failed) {
      factory.configure(before);
      throw failed;
    }
  }

  private boolean exists(String policy) {
    return PolicyFactory.BUILT_IN.contains(policy) || factory.names().contains(policy);
  }

  private boolean usesOther(EbbConfig config) {
    return factory.isChanged(config, active().name())
        || uses().stream().anyMatch(used -> factory.isChanged(config, used.name()));
  }

  /**
   * Switches back to the previous policy and to the JAR it came from.
   *
   * @throws UserError if there is no previous policy, or the switch fails; the active policy stays
   *     active
   */
  public synchronized SwitchRecord rollback() {
    StrategyVersion back = previous;
    if (back == null) {
      throw new UserError("there is no policy to go back to: none was active before");
    }
    quarantine.check(back);
    if (back.plugin() == null || back.sha256() == null || isLoaded(back)) {
      return run(back.name(), SwitchCause.ROLLBACK, null);
    }
    PluginUpdate update =
        plugins.restore(
            back.plugin(),
            back.sha256(),
            "an operator went back from it to %s; 'ebb plugins reload' takes it again"
                .formatted(back.version()));
    try {
      return run(back.name(), SwitchCause.ROLLBACK, update);
    } catch (RuntimeException failed) {
      plugins.discard(update);
      update.removed().forEach(newer -> plugins.unblock(newer.sha256()));
      throw failed;
    }
  }

  private boolean isLoaded(StrategyVersion wanted) {
    return factory.names().contains(wanted.name())
        && factory.version(plugins.catalog(), wanted.name()).equals(wanted);
  }

  public StrategyVersion active() {
    return active.version();
  }

  Set<StrategyVersion> uses() {
    return active.uses();
  }

  /** Returns the policy that {@link #rollback} would activate; null if there was none. */
  public @Nullable StrategyVersion previous() {
    return previous;
  }

  public SwitchHistory history() {
    return history;
  }

  public Quarantine quarantine() {
    return quarantine;
  }

  public Quarantine.@Nullable Case quarantined(String policy) {
    return factory.names().contains(policy)
        ? quarantine.of(factory.version(plugins.catalog(), policy))
        : null;
  }

  /**
   * Returns how many changes could affect whether a policy can be activated: plugins, settings and
   * quarantine. Does not wait for a switch.
   */
  public long changes() {
    return factory.changes() + quarantine.clearings();
  }

  public void saveStates() {
    synchronized (this) {
      keepState();
    }
    states.write();
  }

  /** Keeps what the active policy has learned, unless it has failed in a partition. */
  private void keepState() {
    if (quarantine.of(active()) == null) {
      states.keep(active(), site.places());
    }
  }

  /** Returns how many class loaders of unloaded plugins are still in memory. */
  public int uncollectedLoaders() {
    return plugins.uncollected();
  }

  private SwitchRecord run(String policy, SwitchCause cause, @Nullable PluginUpdate update) {
    SwitchRecord record = history.begin(cause, active(), StrategyVersion.builtIn(policy));
    try {
      perform(policy, update, record);
    } catch (PolicyFault fault) {
      throw record.failed(fault);
    } catch (PluginFailure failure) {
      throw record.failed(String.valueOf(failure.getMessage()), failure.stack());
    } catch (UserError error) {
      throw record.failed(error);
    }
    // What is active at the start is no change: the host reports it itself.
    LOG.atLevel(level(cause))
        .log(
            "policy switched from=\"{}\" to=\"{}\" cause=\"{}\"",
            record.from(),
            record.to(),
            cause);
    return record;
  }

  private static Level level(SwitchCause cause) {
    return cause.kind() == SwitchCause.Kind.START ? Level.DEBUG : Level.INFO;
  }

  private void perform(String policy, @Nullable PluginUpdate update, SwitchRecord record) {
    Supplier<PluginCatalog> catalog = update == null ? plugins::catalog : update::catalog;
    if (update != null) {
      record.loaded(update.times());
    }
    record.begin(SwitchStep.VERIFY);
    StrategyVersion version = factory.version(catalog.get(), policy);
    record.to(version, factory.configured(policy));
    quarantine.check(version);
    if (update == null && !isKept(version, record.cause())) {
      plugins.checkPresent(version);
    }
    record.begin(SwitchStep.CREATE);
    keepState();
    ActivePolicy next = new ActivePolicy(version, record, this::faulted);
    List<PolicyPlace> places = site.places();
    List<PolicyCandidate> successors = new ArrayList<>();
    PreparedPolicies prepared;
    try {
      for (PolicyPlace place : places) {
        Supplier<StrategyInstance<BlockPolicy<?>>> create =
            () -> create(catalog, policy, place.name(), place.capacityBlocks());
        successors.add(next.add(states.restored(version, place.name(), create)));
      }
      if (version.plugin() != null) {
        record.begin(SwitchStep.SELF_TEST);
        // The last line of a process whose heap the policy fills.
        LOG.atLevel(level(record.cause())).log("policy self-test begins policy=\"{}\"", version);
        SelfTest.run(
            policy,
            () ->
                StrategyInstance.candidate(
                    policy, create(catalog, policy, "self-test", SelfTest.CAPACITY)));
      }
      record.begin(SwitchStep.CATCH_UP);
    } catch (RuntimeException failed) {
      successors.forEach(PolicyCandidate::discard);
      throw failed;
    }
    prepared = PreparedPolicies.begin(places, successors);
    record.tookOver(prepared.times());
    record.begin(SwitchStep.PUBLISH);
    ActivePolicy before = active;
    prepared.publish(() -> {
      next.began();
      active = next;
    });
    record.published();
    before.ended(record);
    if (!before.version().equals(version)) {
      previous = endsWell(before) ? before.version() : previous;
    }
    if (update != null) {
      plugins.accept(update);
    }
  }

  /** Returns whether a policy may be created from the copy of a JAR that was removed. */
  private boolean isKept(StrategyVersion version, SwitchCause cause) {
    return cause.kind() == SwitchCause.Kind.ROLLBACK || version.equals(active());
  }

  /**
   * Returns whether rollback may return to a policy. The built-in policy and quarantined policies
   * are not rollback targets.
   */
  private boolean endsWell(ActivePolicy before) {
    return !before.version().name().equals(BuiltInLru.NAME)
        && quarantine.of(before.version()) == null;
  }

  private StrategyInstance<BlockPolicy<?>> create(
      Supplier<PluginCatalog> catalog, String policy, String part, long capacityBlocks) {
    if (policy.equals(BuiltInLru.NAME)) {
      return StrategyInstance.builtIn(policy, new BuiltInLru());
    }
    return factory.create(
        catalog,
        PolicySpec.of(policy),
        new PolicyPartition(part, capacityBlocks, site.clock(), site.seed()));
  }

  /** Handles a fault on another thread, because the caller holds the partition's lock. */
  private void faulted(ActivePolicy policy, PolicyFault fault) {
    if (policy.version().name().equals(BuiltInLru.NAME)) {
      // The built-in policy is the last fallback and is never quarantined.
      LOG.warn("builtin-lru was installed again in a partition reason=\"{}\"", fault.getMessage());
      return;
    }
    if (quarantine.add(policy.version(), fault)) {
      faults.execute(() -> replace(policy, fault));
    }
  }

  /**
   * Activates the built-in policy in all partitions after it has replaced a policy in one of them.
   */
  private synchronized void replace(ActivePolicy policy, PolicyFault fault) {
    LOG.error(
        "policy in quarantine name={} plugin={} version={} sha256={} reason=\"{}\"{}",
        policy.version().name(),
        policy.version().plugin(),
        policy.version().version(),
        policy.version().sha256(),
        fault.getMessage(),
        fault.pluginStack().isEmpty() ? "" : System.lineSeparator() + fault.pluginStack());
    states.forget(policy.version().name(), site.places());
    if (active != policy) {
      return;
    }
    try {
      run(
          BuiltInLru.NAME,
          new SwitchCause(SwitchCause.Kind.QUARANTINE, String.valueOf(fault.getMessage())),
          null);
    } catch (RuntimeException failed) {
      LOG.error("fallback failed reason=\"{}\"", failed.toString());
    }
  }

  @Override
  public void close() {
    faults.shutdownNow();
  }
}
