package dev.ebb.host.authoring;

import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.testkit.BlockPolicyChecks;
import dev.ebb.testkit.Check;
import dev.ebb.testkit.CheckSettings;
import dev.ebb.testkit.LifetimePredictorChecks;
import dev.ebb.testkit.Outcome;
import dev.ebb.testkit.TokenPolicyChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The test kit's checks of everything that a JAR offers. */
final class ContractChecks {

  private final List<Labelled> checks = new ArrayList<>();

  private record Labelled(String strategy, Check check) {}

  ContractChecks(Trial trial) {
    CheckSettings settings = CheckSettings.defaults();
    for (String name : trial.catalog().names(StrategyKind.PREDICTOR)) {
      settings = settings.with(trial.catalog().strategy(StrategyKind.PREDICTOR, name).provider());
    }
    CheckSettings complete = settings;
    add(trial, StrategyKind.POLICY, provider -> BlockPolicyChecks.of(provider, complete));
    add(trial, StrategyKind.TOKEN_POLICY, provider -> TokenPolicyChecks.of(provider, complete));
    add(trial, StrategyKind.PREDICTOR, each -> LifetimePredictorChecks.of(each, complete));
  }

  private <P> void add(Trial trial, StrategyKind<P> kind, Function<P, List<Check>> checksOf) {
    for (Strategy<P> strategy : trial.strategies(kind)) {
      String label = kind.noun() + " " + strategy.name();
      checksOf.apply(strategy.provider()).forEach(check -> checks.add(new Labelled(label, check)));
    }
  }

  List<Finding> run(VerifyProgress progress) {
    List<Finding> findings = new ArrayList<>();
    for (Labelled each : checks) {
      progress.at(each.strategy() + ": " + each.check().name(), findings.size(), checks.size());
      Outcome outcome = each.check().run();
      findings.add(
          new Finding(each.strategy(), outcome.check(), outcome.passed(), outcome.message()));
    }
    return findings;
  }
}
