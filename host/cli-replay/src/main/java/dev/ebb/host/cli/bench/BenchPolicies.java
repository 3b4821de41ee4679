package dev.ebb.host.cli.bench;

import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.RulesDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The policy of a running Ebb, changed for a comparison. In any case, the configured policy is
 * restored, the settings of the compared ones are unset, and rules that were paused for the
 * comparison are resumed.
 */
final class BenchPolicies implements AutoCloseable {

  private static final String CONFIG = "/api/v1/config";
  private static final String RULES = "/api/v1/policy/rules";

  private final AdminClient client;
  private final String configured;
  private final boolean pauses;
  private final Thread onShutdown;
  private boolean restored;

  /** The settings that the last turn has changed. */
  private Set<String> changed = Set.of();

  /**
   * Reads the configured policy and pauses the rules, which would switch the measured policy.
   *
   * @param notes takes lines for the user
   * @throws UserError if the server does not know one of the names, or the configured policy
   */
  BenchPolicies(AdminClient client, List<String> wanted, Consumer<String> notes) {
    this.client = client;
    PolicyDocument.All answer = client.get("/api/v1/policies", PolicyDocument.All.class).document();
    List<String> names = answer.policies().stream().map(policy -> policy.name()).toList();
    for (String policy : wanted) {
      String name = name(policy);
      if (!names.contains(name)) {
        throw new UserError(
            "--policies: no policy named '%s'%s at '%s'; available: %s"
                .formatted(
                    name, ForeignNames.POLICY.hint(name, names), client.server().base(), names));
      }
    }
    configured = answer.configured();
    if (!names.contains(name(configured))) {
      throw new UserError(
          ("the configured policy '%s' is not installed, so it could not be restored afterwards;"
                  + " choose another one first, with 'ebb policy set NAME'")
              .formatted(configured));
    }
    RulesDocument rules = client.get(RULES, RulesDocument.class).document();
    pauses = !rules.paused() && !rules.rules().isEmpty();
    onShutdown = new Thread(() -> restoreAndReport(notes), "restore policy");
    Runtime.getRuntime().addShutdownHook(onShutdown);
    if (pauses) {
      notes.accept("pausing the policy rules until the comparison ends");
      post("/pause");
    }
  }

  private static String name(String policy) {
    return PolicySpec.parse(policy, "--policies").name();
  }

  /** Activates a policy, unless the process is ending and has restored the configured one. */
  synchronized void use(String policy) {
    if (!restored) {
      activate(policy);
    }
  }

  private void activate(String policy) {
    set(policy);
    keepOnly(settings(policy));
  }

  private void set(String policy) {
    client.send("PUT", "/api/v1/policy", Map.of("policy", policy), PolicyDocument.Changed.class);
  }

  /** Unsets what the last turn has changed, except some keys, which are what is changed now. */
  private void keepOnly(Set<String> settings) {
    Map<String, @Nullable Object> unset = new HashMap<>();
    changed.stream().filter(key -> !settings.contains(key)).forEach(key -> unset.put(key, null));
    if (!unset.isEmpty()) {
      long version = client.get(CONFIG, ConfigDocument.class).document().version();
      Map<String, Object> patch = Map.of("changes", unset, "version", version);
      client.send("PATCH", CONFIG, patch, ConfigDocument.Changed.class);
    }
    changed = settings;
  }

  /** Returns the keys that the settings of a policy change. */
  private static Set<String> settings(String policy) {
    return PolicySpec.parse(policy, "--policies").overrides("").stream()
        .map(ConfigOverride::key)
        .filter(key -> !key.equals(EvictionConfig.POLICY.path()))
        .collect(Collectors.toSet());
  }

  private void post(String action) {
    client.send("POST", RULES + action, Map.of(), RulesDocument.class);
  }

  /** Checks that the policy is still active: a failed one has not been measured. */
  void expect(String policy) {
    String now = client.get("/api/v1/policy", PolicyDocument.class).document().policy();
    if (!now.equals(name(policy))) {
      throw new UserError(
          "'%s' was active at the end of the turn of '%s'; the server's log says why"
              .formatted(now, policy));
    }
  }

  private synchronized void restore() {
    if (restored) {
      return;
    }
    restored = true;
    List<String> problems = new ArrayList<>();
    attempt(
        () -> set(configured),
        "the configured policy '%s' was not restored; restore it with 'ebb policy set %s'"
            .formatted(configured, configured),
        problems);
    attempt(
        () -> keepOnly(Set.of()),
        "settings of the compared policies are still set: unset %s with 'ebb config unset KEY'"
            .formatted(changed),
        problems);
    if (pauses) {
      attempt(
          () -> post("/resume"),
          "the policy rules are still paused; resume them with 'ebb policy rules resume'",
          problems);
    }
    UserError.throwIfAny(problems);
  }

  private static void attempt(Runnable step, String remedy, List<String> problems) {
    try {
      step.run();
    } catch (UserError failed) {
      problems.addAll(failed.messages());
      problems.add(remedy);
    }
  }

  private void restoreAndReport(Consumer<String> notes) {
    try {
      restore();
    } catch (UserError failed) {
      failed.messages().forEach(notes);
    }
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(onShutdown);
    } catch (IllegalStateException endingAlready) {
      // The hook then runs, and finds it done.
    }
  }
}
