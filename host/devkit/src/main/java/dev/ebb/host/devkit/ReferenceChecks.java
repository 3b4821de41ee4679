package dev.ebb.host.devkit;

import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.policy.HostContext;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.testkit.TestContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that a JAR's {@code reference.conf} and {@code create()} agree. If they do not, the former
 * takes precedence, which an author who changes the latter may not notice.
 */
final class ReferenceChecks {

  private static final String CHECK = "reference.conf says what create() says";
  private static final int CAPACITY = 100;

  private final CandidatePlugins plugins;

  ReferenceChecks(CandidatePlugins plugins) {
    this.plugins = plugins;
  }

  /** Returns one finding for each strategy in {@code reference.conf}. */
  List<VerifyFinding> run() {
    List<VerifyFinding> findings = new ArrayList<>();
    for (StrategyKind<?> kind : StrategyKind.ALL) {
      for (Strategy<?> strategy : plugins.strategies(kind)) {
        if (!strategy.defaults().isEmpty()) {
          findings.add(finding(strategy));
        }
      }
    }
    return findings;
  }

  private <P> VerifyFinding finding(Strategy<P> strategy) {
    String label = strategy.kind().noun() + " " + strategy.name();
    try {
      List<String> problems = problems(strategy);
      return new VerifyFinding(label, CHECK, problems.isEmpty(), String.join("\n", problems));
    } catch (PluginFailure failure) {
      return VerifyFinding.notRun(label, CHECK, String.valueOf(failure.getMessage()));
    }
  }

  /** Reads the file like a user's configuration, over the defaults in create(). */
  private <P> List<String> problems(Strategy<P> strategy) {
    Strategy<P> bare =
        new Strategy<>(
            strategy.kind(),
            strategy.name(),
            strategy.pluginId(),
            strategy.provider(),
            strategy.owner(),
            ConfigFactory.empty());
    TestContext context = Contexts.of(plugins.catalog(), CAPACITY);
    StrategyInstance<AutoCloseable> made;
    try {
      made =
          StrategyInstance.of(
              bare,
              strategy.name(),
              strategy.defaults(),
              settings ->
                  bare.kind().create().apply(bare.provider(), HostContext.of(context, settings)));
    } catch (UserError wrong) {
      return wrong.messages();
    }
    made.close();
    return made.settings().stream()
        .filter(setting -> !setting.value().equals(setting.defaultValue()))
        .map(setting -> difference(strategy.name(), setting))
        .toList();
  }

  private static String difference(String strategy, SettingValue setting) {
    return "%s.%s: reference.conf says '%s', create() says '%s': the former takes precedence; make them equal"
        .formatted(strategy, setting.key(), setting.value(), setting.defaultValue());
  }
}
