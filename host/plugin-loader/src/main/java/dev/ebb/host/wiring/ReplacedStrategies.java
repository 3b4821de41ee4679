package dev.ebb.host.wiring;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.tokens.TokenAlias;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The names that are no longer served once a JAR replaces another. */
final class ReplacedStrategies {

  private final EbbConfig config;
  private final List<Lost> names = new ArrayList<>();

  private record Lost(StrategyKind<?> kind, String name, PluginReport from) {}

  ReplacedStrategies(EbbConfig config, FolderScan before, FolderScan after) {
    this.config = config;
    for (StrategyKind<?> kind : StrategyKind.ALL) {
      for (PluginReport report : before.reports()) {
        if (report.state() == PluginState.LOADED) {
          report.strategies().getOrDefault(kind.plural(), List.of()).stream()
              .filter(name -> before.has(kind, name) && !after.has(kind, name))
              .forEach(name -> names.add(new Lost(kind, name, report)));
        }
      }
    }
  }

  /** Returns the problems of installing the JAR: a message for each name that is in use. */
  List<String> problems(Path jar) {
    return names.stream()
        .filter(lost -> uses(lost.kind()).containsKey(lost.name()))
        .map(lost -> {
          String key = uses(lost.kind()).get(lost.name());
          return "'%s' was not installed: it would replace '%s' (plugin '%s', version %s) and has no %s '%s', which %s needs; give it that %s or another Plugin-Id, or change %s first"
              .formatted(
                  jar,
                  lost.from().file().getFileName(),
                  lost.from().id(),
                  lost.from().version(),
                  lost.kind().noun(),
                  lost.name(),
                  key,
                  lost.kind().noun(),
                  key);
        })
        .toList();
  }

  /** Returns warnings about the other names once the JAR is installed. */
  List<String> warnings(Path jar) {
    return names.stream()
        .map(lost ->
            "the %s '%s' of '%s' is no longer served: '%s' replaces it and does not offer it"
                .formatted(
                    lost.kind().noun(),
                    lost.name(),
                    lost.from().file().getFileName(),
                    jar.getFileName()))
        .toList();
  }

  /** Returns the names that the configuration needs, each with the key that names it. */
  private Map<String, String> uses(StrategyKind<?> kind) {
    Map<String, String> uses = new TreeMap<>();
    if (kind == StrategyKind.POLICY) {
      uses.put(config.eviction().policy().name(), EvictionConfig.POLICY.path());
      PolicyFactory.chosenAmong(config)
          .forEach(each -> uses.putIfAbsent(each, EvictionConfig.POLICY.path()));
      ShadowSpec.named(config.shadow().policies())
          .forEach(each -> uses.putIfAbsent(each.name(), ShadowConfig.POLICIES.path()));
      config
          .eviction()
          .rules()
          .forEach(rule -> uses.putIfAbsent(rule.policy().name(), rule.policyPath()));
    } else if (kind == StrategyKind.TOKEN_POLICY) {
      uses.put(TokenAlias.policyOf(config.tokens().policy().name()), TokensConfig.POLICY.path());
    }
    if (kind == StrategyKind.TOKEN_BUDGET) {
      uses.put(
          TokenAlias.resolve(config.tokens().policy().name(), config.tokens().budget().name())
              .budget(),
          TokensConfig.BUDGET.path());
    }
    if (kind == StrategyKind.PREEMPTION) {
      uses.put(config.scheduler().preemption().name(), SchedulerConfig.PREEMPTION.path());
    }
    StrategySettings settings = kind.settingsIn().apply(config);
    settings.names().forEach(name -> uses.putIfAbsent(name, settings.pathOf(name)));
    return uses;
  }
}
