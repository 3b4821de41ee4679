package dev.ebb.host.devkit;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.plugin.jar.TrustedSigners;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.testkit.CheckSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Verifies a built JAR: loads it as a host does, checks the whole contract, measures its cost next
 * to {@code lru}, and checks that it unloads.
 */
public final class Verification {

  private static final String LRU = "lru";
  private static final String COST = "costs little at any size";

  private final EbbConfig config;
  private final VerifyProgress progress;
  private final Limits limits;
  private final List<VerifyFinding> findings = new ArrayList<>();
  private final List<Cost> costs = new ArrayList<>();

  /**
   * How long the steps may take, and how thorough they are.
   *
   * @param measurement of the cost of one policy at one size; tests of whole commands shorten it by
   *     a system property of milliseconds
   * @param check of one rule of the contract
   * @param threads until threads of a closed plugin have ended
   * @param collection until the classes of a closed plugin are unloaded
   * @param requests of a random history of the contract's checks
   * @param residents of a policy whose use of the heap is checked
   * @param most residents of a policy whose cost is measured
   */
  record Limits(
      Duration measurement,
      Duration check,
      Duration threads,
      Duration collection,
      int requests,
      int residents,
      int most) {

    static final Limits DEFAULT =
        new Limits(
            Duration.ofMillis(Math.max(1, Long.getLong("ebb.verify.measurement", 2_000))),
            Duration.ofSeconds(30),
            Duration.ofSeconds(3),
            Duration.ofSeconds(8),
            CheckSettings.defaults().requests(),
            20_000,
            1_000_000);
  }

  /**
   * Prepares a verification, to be run once.
   *
   * @param config the installed plugins and their settings
   * @param progress receives the progress and each finding
   */
  public Verification(EbbConfig config, VerifyProgress progress) {
    this(config, progress, Limits.DEFAULT);
  }

  Verification(EbbConfig config, VerifyProgress progress, Limits limits) {
    this.config = config;
    this.progress = progress;
    this.limits = limits;
  }

  /**
   * Verifies a JAR; never throws for anything that the JAR does.
   *
   * @throws UserError if the JAR does not exist
   */
  public Verdict run(Path jar) {
    try (CandidateFolder folder = CandidateFolder.of(jar, config.plugins().folder())) {
      progress.at("loading", 0, 1);
      PluginReport report;
      Optional<String> ended;
      try (CandidatePlugins plugins = CandidatePlugins.open(config, folder)) {
        report = plugins.report();
        ended = check(plugins);
        progress.at("closing", 0, 1);
      }
      if (report.state() == PluginState.LOADED) {
        if (ended.isPresent()) {
          add(VerifyFinding.notRun("plugin", "cost, memory, threads and unloading", ended.get()));
        } else {
          progress.at("unloading", 0, 1);
          new LeakChecks(config, folder, limits).run().forEach(this::add);
        }
      }
      return new Verdict(jar, report.id(), report.version(), findings, costs);
    }
  }

  private void add(VerifyFinding finding) {
    findings.add(finding);
    progress.found(finding);
  }

  /** Returns why nothing of the JAR should be called any more, empty if it may be. */
  private Optional<String> check(CandidatePlugins plugins) {
    PluginReport report = plugins.report();
    boolean loaded = report.state() == PluginState.LOADED;
    add(VerifyFinding.ofPlugin("can be loaded", loaded, loaded ? offers(report) : report.reason()));
    String signers = TrustedSigners.of(config.plugins()).describe(report.file());
    if (loaded && signers != null) {
      add(VerifyFinding.ofPlugin("is signed as a whole", true, signers));
    }
    if (!loaded) {
      return Optional.empty();
    }
    add(
        VerifyFinding.passed(
            "plugin", "requires the SPI that it uses", SpiUse.problem(report.file())));
    add(names(report, plugins.rivals()));
    List<VerifyFinding> contract = new ArrayList<>();
    Optional<String> ended =
        new ContractChecks(plugins, limits)
            .run(
                progress,
                finding -> {
                  contract.add(finding);
                  add(finding);
                });
    if (ended.isEmpty()) {
      progress.at("reference.conf", 0, 1);
      new ReferenceChecks(plugins).run().forEach(this::add);
    }
    if (contract.stream().allMatch(VerifyFinding::passed)) {
      measure(plugins);
    }
    return ended;
  }

  private static VerifyFinding names(PluginReport report, List<String> rivals) {
    String taken =
        rivals.isEmpty()
            ? ""
            : "; taken by %s: give yours another name()".formatted(String.join(", ", rivals));
    return VerifyFinding.ofPlugin(
        "has names of its own", report.reason().isEmpty(), report.reason() + taken);
  }

  private static String offers(PluginReport report) {
    Map<String, List<String>> sorted = new TreeMap<>(report.strategies());
    List<String> words = new ArrayList<>();
    sorted.forEach((kind, names) -> words.add(kind + " " + String.join(", ", names)));
    return "%s %s: %s".formatted(report.id(), report.version(), String.join("; ", words));
  }

  private void measure(CandidatePlugins plugins) {
    HeapChecks heap = new HeapChecks(limits);
    for (Strategy<BlockPolicyProvider> policy : plugins.strategies(StrategyKind.POLICY)) {
      progress.at("memory of " + policy.name(), 0, 1);
      heap.run(policy, capacity -> Contexts.of(plugins.catalog(), capacity)).forEach(this::add);
      List<Cost> own = new ArrayList<>();
      try {
        measure(plugins, policy, own);
        add(cost(policy, own));
      } catch (RuntimeException failed) {
        add(new VerifyFinding(label(policy), COST, false, String.valueOf(failed.getMessage())));
      }
      costs.addAll(own);
    }
  }

  private void measure(
      CandidatePlugins plugins, Strategy<BlockPolicyProvider> policy, List<Cost> costs) {
    Strategy<BlockPolicyProvider> lru =
        plugins.catalog().names(StrategyKind.POLICY).contains(LRU)
            ? plugins.catalog().strategy(StrategyKind.POLICY, LRU)
            : PlainLru.strategy();
    CostMeter meter = new CostMeter(limits.measurement());
    List<Integer> sizes = CostMeter.sizes(limits.most());
    for (int residents : sizes) {
      progress.at("measuring " + policy.name(), costs.size(), sizes.size());
      costs.add(
          meter.measure(
              policy, lru, residents, capacity -> Contexts.of(plugins.catalog(), capacity)));
    }
  }

  private static String label(Strategy<?> policy) {
    return "policy " + policy.name();
  }

  private static VerifyFinding cost(Strategy<?> policy, List<Cost> costs) {
    List<Cost> ruinous = costs.stream().filter(Cost::isRuinous).toList();
    if (!ruinous.isEmpty()) {
      return new VerifyFinding(
          label(policy),
          COST,
          false,
          text(ruinous)
              + "; keep what an event needs in its node: no search, no"
              + " PriorityQueue.remove(Object)");
    }
    List<Cost> dear = costs.stream().filter(Cost::isOverBudget).toList();
    return VerifyFinding.passed(
        label(policy),
        COST,
        dear.isEmpty()
            ? ""
            : String.format(
                Locale.ROOT,
                "%s; its budget is %,.0f ns: if better victims are worth it, return more from"
                    + " evictionBudgetNanos()",
                text(dear),
                dear.getFirst().budgetNanos()));
  }

  private static String text(List<Cost> costs) {
    return costs.stream().map(Cost::text).collect(Collectors.joining("; "));
  }
}
