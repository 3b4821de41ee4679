package dev.ebb.host.admin.policy;

import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.switching.SwitchCause;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

public final class ConfigRoutes {

  private static final String POLICY = EvictionConfig.POLICY.path();

  private final PolicyRuntime runtime;
  private final RuntimeConfig config;

  public ConfigRoutes(PolicyRuntime runtime) {
    this.runtime = runtime;
    config = runtime.config();
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(
                "/api/v1/config",
                ConfigDocument.class,
                "every value and its source; secrets are hidden"),
            this::show)
        .document(
            Operation.patch(
                    "/api/v1/config", ConfigDocument.Changed.class, "changes values at run time")
                .body(
                    Field.of(
                            "changes",
                            Field.Type.OBJECT,
                            "the new value of each key; null reverts it")
                        .needed(),
                    Field.integer(
                        "version", 1, "the version of the latest GET; not needed for a dry run"),
                    Field.of("dryRun", Field.Type.FLAG, "only report what would change")),
            this::change);
  }

  private ConfigDocument show() {
    List<ConfigDocument.Value> values = config.entries().stream().map(this::value).toList();
    return new ConfigDocument(
        config.version(), values, config.fileProblems(), config.afterRestart());
  }

  private ConfigDocument.Value value(ConfigEntry entry) {
    return new ConfigDocument.Value(
        entry.key(), entry.value(), entry.origin(), config.changes(entry.key()));
  }

  private ConfigDocument.Changed change(ServerRequest request) {
    Body body = request.body();
    Map<String, @Nullable Object> wanted = wanted(body.node("changes"));
    if (body.flag("dryRun", false)) {
      boolean wouldPause = wanted.containsKey(POLICY) && report().active() != null;
      return changed(config.plan(wanted), wouldPause || report().paused());
    }
    long seen = body.integer("version");
    RuntimeConfig.Plan made = commit(seen, wanted);
    if (wanted.containsKey(POLICY)) {
      // After a fault, or while a rule is active, the active policy is not the configured one.
      runtime.rules().choose(config.config(), SwitchCause.OPERATOR);
    }
    return changed(made, report().paused());
  }

  private ConfigDocument.Changed changed(RuntimeConfig.Plan plan, boolean rulesPaused) {
    return new ConfigDocument.Changed(
        plan.version(), plan.committed(), plan.changes(), runtime.policy(), rulesPaused);
  }

  private RulesReport report() {
    return runtime.rules().report();
  }

  private static Map<String, @Nullable Object> wanted(@Nullable JsonNode changes) {
    if (changes == null || !changes.isObject() || changes.isEmpty()) {
      throw HttpException.bad(
          "'changes' must be an object of keys and values, such as {\"ebb.eviction.policy\":"
              + " \"sieve\"}");
    }
    Map<String, @Nullable Object> wanted = new TreeMap<>();
    changes
        .properties()
        .forEach(each ->
            wanted.put(
                each.getKey(),
                each.getValue().isNull() ? null : plain(each.getKey(), each.getValue())));
    return wanted;
  }

  private static Object plain(String key, JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> value.stringValue();
      case BOOLEAN -> value.booleanValue();
      case NUMBER -> value.numberValue();
      case ARRAY -> value.valueStream().map(each -> plain(key, each)).toList();
      case OBJECT -> {
        Map<String, Object> section = new TreeMap<>();
        value.properties().forEach(each -> section.put(each.getKey(), plain(key, each.getValue())));
        yield section;
      }
      default ->
          throw HttpException.bad(
              "%s = '%s' must be a text, a number, a flag, a list, a section, or null for what the file says"
                  .formatted(key, value));
    };
  }

  private RuntimeConfig.Plan commit(long seen, Map<String, @Nullable Object> wanted) {
    try {
      return config.commit(seen, wanted);
    } catch (RuntimeConfig.StaleException stale) {
      throw new HttpException(409, String.valueOf(stale.getMessage()));
    }
  }
}
