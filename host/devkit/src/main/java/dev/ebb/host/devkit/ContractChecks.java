package dev.ebb.host.devkit;

import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.testkit.BlockPolicyChecks;
import dev.ebb.testkit.Check;
import dev.ebb.testkit.CheckSettings;
import dev.ebb.testkit.LifetimePredictorChecks;
import dev.ebb.testkit.Outcome;
import dev.ebb.testkit.PreemptionPolicyChecks;
import dev.ebb.testkit.Rule;
import dev.ebb.testkit.TokenBudgetChecks;
import dev.ebb.testkit.TokenPolicyChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The test kit's checks of every strategy of a JAR. */
final class ContractChecks {

  private final List<Labelled> strategies = new ArrayList<>();

  private record Labelled(String strategy, List<Check> checks) {}

  ContractChecks(CandidatePlugins plugins, Verification.Limits limits) {
    CheckSettings settings =
        CheckSettings.defaults().withLimit(limits.check()).withRequests(limits.requests());
    for (String name : plugins.catalog().names(StrategyKind.PREDICTOR)) {
      settings =
          settings.with(
              ConfiguredProviders.predictor(
                  plugins.catalog().strategy(StrategyKind.PREDICTOR, name)));
    }
    for (String name : plugins.catalog().names(StrategyKind.POLICY)) {
      settings =
          settings.with(
              ConfiguredProviders.policy(plugins.catalog().strategy(StrategyKind.POLICY, name)));
    }
    CheckSettings complete = settings;
    add(
        plugins,
        StrategyKind.POLICY,
        each -> BlockPolicyChecks.of(ConfiguredProviders.policy(each), complete));
    add(
        plugins,
        StrategyKind.TOKEN_POLICY,
        each -> TokenPolicyChecks.of(ConfiguredProviders.tokenPolicy(each), complete));
    add(
        plugins,
        StrategyKind.TOKEN_BUDGET,
        each -> TokenBudgetChecks.of(ConfiguredProviders.tokenBudget(each), complete));
    add(
        plugins,
        StrategyKind.PREDICTOR,
        each -> LifetimePredictorChecks.of(ConfiguredProviders.predictor(each), complete));
    add(
        plugins,
        StrategyKind.PREEMPTION,
        each -> PreemptionPolicyChecks.of(ConfiguredProviders.preemption(each), complete));
  }

  private <P> void add(
      CandidatePlugins plugins, StrategyKind<P> kind, Function<Strategy<P>, List<Check>> checksOf) {
    for (Strategy<P> strategy : plugins.strategies(kind)) {
      String label = kind.noun() + " " + strategy.name();
      strategies.add(new Labelled(label, checksOf.apply(strategy)));
    }
  }

  /**
   * Runs them in their order; checks that add nothing after a failure are skipped.
   *
   * @return why nothing of the JAR should be called any more, empty if it may be
   */
  Optional<String> run(VerifyProgress progress, Consumer<VerifyFinding> found) {
    for (Labelled each : strategies) {
      Optional<Outcome> ending = run(each, progress, found);
      if (ending.isPresent() && ending.get().broken() == Rule.RETURNS) {
        return ending.get().endsTheRun();
      }
    }
    return Optional.empty();
  }

  private static Optional<Outcome> run(
      Labelled each, VerifyProgress progress, Consumer<VerifyFinding> found) {
    int total = each.checks().size();
    for (int at = 0; at < total; at++) {
      Check check = each.checks().get(at);
      progress.at(each.strategy() + ": " + check.name(), at, total);
      Outcome outcome = check.run();
      found.accept(VerifyFinding.of(each.strategy(), outcome));
      Optional<String> why = outcome.endsTheRun();
      if (why.isPresent()) {
        String left = "%d more checks".formatted(total - at - 1);
        found.accept(VerifyFinding.notRun(each.strategy(), left, why.get()));
        return Optional.of(outcome);
      }
    }
    return Optional.empty();
  }
}
