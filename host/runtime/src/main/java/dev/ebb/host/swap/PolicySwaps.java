package dev.ebb.host.swap;

import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.PreparedPolicies;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.Rescan;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.Instance;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
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

/**
 * Activates policies, whoever asks for it: one switch at a time, in named steps. Whatever fails
 * before it is published leaves the policy before active. Everything is remembered.
 */
public final class PolicySwaps implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PolicySwaps.class);

  private final PluginHost plugins;
  private final PolicyFactory factory;
  private final PolicySite site;
  private final SwapHistory history = new SwapHistory();
  private final Quarantine quarantine = new Quarantine();
  private final ExecutorService faults =
      Executors.newSingleThreadExecutor(PolicySwaps::quarantineThread);
  private volatile ActivePolicy active;
  private volatile @Nullable StrategyVersion previous;

  /**
   * The switches of a site whose built-in policy is active.
   *
   * @param plugins where policies come from
   * @param factory makes them
   * @param site where they serve
   */
  public PolicySwaps(PluginHost plugins, PolicyFactory factory, PolicySite site) {
    this.plugins = plugins;
    this.factory = factory;
    this.site = site;
    active =
        new ActivePolicy(StrategyVersion.builtIn(BuiltInLru.NAME), null, (policy, fault) -> {});
    plugins.onUnload(history::unloaded);
  }

  /** Made by the thread of a policy, whose class loader it is not to keep. */
  private static Thread quarantineThread(Runnable task) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name("ebb-policy-quarantine")
            .unstarted(task);
    thread.setContextClassLoader(PolicySwaps.class.getClassLoader());
    return thread;
  }

  /**
   * Activates a policy.
   *
   * @param policy its name
   * @param cause why
   * @return what was done; closing the one before may go on
   * @throws UserError if it fails; the policy before serves on
   */
  public synchronized SwapRecord swap(String policy, SwapCause cause) {
    return run(policy, cause, null);
  }

  /**
   * Activates a policy unless one of that name is.
   *
   * @param cause why
   * @throws UserError if it fails; the policy before serves on
   */
  public synchronized void ensure(String policy, SwapCause cause) {
    if (!active().name().equals(policy)) {
      run(policy, cause, null);
    }
  }

  /**
   * Activates a policy of newly loaded plugins, and with it the plugins.
   *
   * @param rescan accepted if all goes well; otherwise left to the caller
   * @return what was done
   * @throws UserError if it fails; policy and plugins before serve on
   */
  synchronized SwapRecord swap(String policy, SwapCause cause, Rescan rescan) {
    return run(policy, cause, rescan);
  }

  /**
   * Takes other settings of policies. The active one is made anew if its own are among them, unless
   * its JAR is gone: then it serves on as it is.
   *
   * @param cause why
   * @throws UserError if it fails; the policy before serves on, with the settings before
   */
  public synchronized void configure(EbbConfig config, SwapCause cause) {
    String policy = active().name();
    boolean isOther = factory.isOther(config, policy) && factory.names().contains(policy);
    EbbConfig before = factory.configure(config);
    try {
      if (isOther) {
        run(policy, cause, null);
      }
    } catch (RuntimeException failed) {
      factory.configure(before);
      throw failed;
    }
  }

  /**
   * Goes back to the policy before the active one, and to the JAR that it came from then.
   *
   * @return what was done
   * @throws UserError if there is none, or it fails; the active policy serves on
   */
  public synchronized SwapRecord rollback() {
    StrategyVersion back = previous;
    if (back == null) {
      throw new UserError("there is no policy to go back to: none was active before");
    }
    quarantine.check(back);
    if (back.plugin() == null || back.sha256() == null || isLoaded(back)) {
      return run(back.name(), SwapCause.ROLLBACK, null);
    }
    Rescan rescan =
        plugins.restore(
            back.plugin(),
            back.sha256(),
            "an operator went back from it to %s; 'ebb plugins reload' takes it again"
                .formatted(back.version()));
    try {
      return run(back.name(), SwapCause.ROLLBACK, rescan);
    } catch (RuntimeException failed) {
      plugins.dismiss(rescan);
      rescan.dropped().forEach(newer -> plugins.unbar(newer.sha256()));
      throw failed;
    }
  }

  private boolean isLoaded(StrategyVersion wanted) {
    return factory.names().contains(wanted.name())
        && factory.version(plugins.catalog(), wanted.name()).equals(wanted);
  }

  /**
   * Returns the active policy.
   *
   * @return with its plugin, version and hash
   */
  public StrategyVersion active() {
    return active.version();
  }

  Set<StrategyVersion> predictors() {
    return active.predictors();
  }

  /**
   * Where {@link #rollback} would go.
   *
   * @return the policy before; null if there was none
   */
  public @Nullable StrategyVersion previous() {
    return previous;
  }

  /**
   * What has been done.
   *
   * @return the last switches and attempts
   */
  public SwapHistory history() {
    return history;
  }

  /**
   * What has failed while active.
   *
   * @return the strategies that are not chosen again
   */
  public Quarantine quarantine() {
    return quarantine;
  }

  /**
   * Why a policy would be refused because it has failed while active.
   *
   * @param policy its name
   * @return the case; null if it is not in quarantine, or there is no such policy
   */
  public Quarantine.@Nullable Case quarantined(String policy) {
    return factory.names().contains(policy)
        ? quarantine.of(factory.version(plugins.catalog(), policy))
        : null;
  }

  /**
   * Returns how often anything has changed that decides whether a policy can be activated: plugins,
   * settings, quarantine. Never waits for a switch.
   *
   * @return a number that only grows
   */
  public long changes() {
    return factory.changes() + quarantine.clearings();
  }

  /**
   * Class loaders of plugins that were unloaded and are still in memory.
   *
   * @return how many
   */
  public int uncollectedLoaders() {
    return plugins.uncollected();
  }

  private SwapRecord run(String policy, SwapCause cause, @Nullable Rescan rescan) {
    SwapRecord record = history.begin(cause, active(), StrategyVersion.builtIn(policy));
    SwapRun run = new SwapRun(record);
    try {
      switchTo(policy, rescan, run);
    } catch (PolicyFault fault) {
      throw run.failed(fault);
    } catch (PluginFailure failure) {
      throw run.failed(String.valueOf(failure.getMessage()), failure.stack());
    } catch (UserError error) {
      throw run.failed(error);
    }
    LOG.info(
        "policy active name={} plugin={} version={} sha256={} before={} cause=\"{}\"",
        record.to().name(),
        record.to().plugin(),
        record.to().version(),
        record.to().sha256(),
        record.from().name(),
        cause);
    return record;
  }

  private void switchTo(String policy, @Nullable Rescan rescan, SwapRun run) {
    Supplier<PluginCatalog> catalog = rescan == null ? plugins::catalog : rescan::catalog;
    if (rescan != null) {
      run.loaded(rescan.times());
    }
    run.begin(SwapStep.VERIFY);
    StrategyVersion version = factory.version(catalog.get(), policy);
    run.to(version, factory.configured(policy));
    quarantine.check(version);
    run.begin(SwapStep.CREATE);
    ActivePolicy next = new ActivePolicy(version, run.record(), this::faulted);
    List<PolicyCandidate> successors = new ArrayList<>();
    PreparedPolicies prepared;
    try {
      for (PolicyPlace place : site.places()) {
        successors.add(next.add(create(catalog, policy, place.name(), place.capacityBlocks())));
      }
      if (version.plugin() != null) {
        run.begin(SwapStep.SELF_TEST);
        SelfTest.run(
            policy,
            () ->
                Instance.successor(
                    policy, create(catalog, policy, "self-test", SelfTest.CAPACITY)));
      }
      run.begin(SwapStep.CATCH_UP);
    } catch (RuntimeException failed) {
      successors.forEach(PolicyCandidate::discard);
      throw failed;
    }
    prepared = site.prepare(successors);
    run.tookOver(prepared.times());
    run.begin(SwapStep.PUBLISH);
    ActivePolicy before = active;
    prepared.publish(() -> {
      next.began();
      active = next;
    });
    run.published();
    before.ended(run.record());
    if (!before.version().equals(version)) {
      previous = endsWell(before) ? before.version() : previous;
    }
    if (rescan != null) {
      plugins.accept(rescan);
    }
  }

  /** The host's own order stands in for what failed: nobody goes back to either. */
  private boolean endsWell(ActivePolicy before) {
    return !before.version().name().equals(BuiltInLru.NAME)
        && quarantine.of(before.version()) == null;
  }

  private Instance<BlockPolicy<?>> create(
      Supplier<PluginCatalog> catalog, String policy, String part, long capacityBlocks) {
    if (policy.equals(BuiltInLru.NAME)) {
      return Instance.builtIn(policy, new BuiltInLru());
    }
    return factory.create(
        catalog,
        PolicySpec.of(policy),
        new PolicyPartition(part, capacityBlocks, site.clock(), site.seed()));
  }

  /** Called under a part's lock, so the rest is done elsewhere. */
  private void faulted(ActivePolicy policy, PolicyFault fault) {
    if (policy.version().name().equals(BuiltInLru.NAME)) {
      // What takes over when all else fails is never put away.
      LOG.warn("own order made anew in a part reason=\"{}\"", fault.getMessage());
      return;
    }
    if (quarantine.add(policy.version(), fault)) {
      faults.execute(() -> replace(policy, fault));
    }
  }

  /** In one part the host's own order has taken over; the others follow. */
  private synchronized void replace(ActivePolicy policy, PolicyFault fault) {
    LOG.error(
        "policy in quarantine name={} plugin={} version={} sha256={} reason=\"{}\"{}",
        policy.version().name(),
        policy.version().plugin(),
        policy.version().version(),
        policy.version().sha256(),
        fault.getMessage(),
        fault.pluginStack().isEmpty() ? "" : System.lineSeparator() + fault.pluginStack());
    if (active != policy) {
      return;
    }
    try {
      run(
          BuiltInLru.NAME,
          new SwapCause(SwapCause.Kind.QUARANTINE, String.valueOf(fault.getMessage())),
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
