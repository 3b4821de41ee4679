package dev.ebb.llama.generate;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cli.options.OptionOverrides;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tokens.TokenAlias;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select the kept tokens: each overrides a key of {@code ebb.tokens}. */
final class EvictionGroup {

  /** The only policy whose own settings follow from a window. */
  private static final String SLIDING_WINDOW = "sliding-window";

  private static final String PREFIX = "protected-prefix";
  private static final int USUAL_PREFIX = 4;

  @Option(
      names = "--eviction-policy",
      paramLabel = "POLICY",
      description =
          "A token policy from plugins/, with settings in parentheses if wanted, such as"
              + " \"h2o(recent=64)\"; none drops nothing. If not given, ebb.tokens.policy, which is"
              + " none unless configured")
  private @Nullable String policy;

  @Option(
      names = "--eviction-window",
      paramLabel = "N",
      description =
          "The maximum number of kept tokens. If not given, ebb.tokens.window; if that is not given"
              + " either, three quarters of the tokens at the time the policy runs")
  private @Nullable Integer window;

  @Option(
      names = "--memory-threshold",
      paramLabel = "MB",
      description =
          "Tokens are dropped, too, when the machine has less memory available. If not given,"
              + " ebb.tokens.memory-threshold, which is 256. 1 MB is 2^20 bytes")
  private @Nullable Long memoryThreshold;

  /**
   * Returns the options as overrides of {@code ebb.tokens}; refuses values that are not allowed.
   */
  List<ConfigOverride> overrides() {
    if (window != null && window < 1) {
      throw new UserError("--eviction-window: '%d' must be at least 1".formatted(window));
    }
    if (memoryThreshold != null && memoryThreshold < 1) {
      throw new UserError("--memory-threshold: '%d' must be at least 1".formatted(memoryThreshold));
    }
    String name = policy == null ? null : PolicySpec.parse(policy, "--eviction-policy").name();
    String threshold = memoryThreshold == null ? null : memoryThreshold + " MiB";
    return new OptionOverrides()
        .add("--eviction-policy", "ebb.tokens.policy", name)
        .add("--eviction-window", "ebb.tokens.window", window)
        .add("--memory-threshold", "ebb.tokens.memory-threshold", threshold)
        .given();
  }

  /** Returns the policy with its settings; refuses values that are not allowed. */
  PolicySpec policy(TokensConfig tokens) {
    PolicySpec spec =
        policy == null
            ? PolicySpec.of(tokens.policy().name())
            : PolicySpec.parse(policy, "--eviction-policy");
    String without = window != null ? "--eviction-window" : "--memory-threshold";
    if (spec.name().equals(NoEviction.NAME) && (window != null || memoryThreshold != null)) {
      throw new UserError(
          "%s: the policy 'none' drops nothing; name another with --eviction-policy"
              .formatted(without));
    } else if (window == null || !spec.name().equals(SLIDING_WINDOW)) {
      return spec;
    }
    int prefix = prefix(spec.settings().withFallback(tokens.policies().of(SLIDING_WINDOW)));
    if (window <= prefix) {
      throw new UserError(
          "--eviction-window: '%d' must be more than the %d tokens of %s that %s always keeps"
              .formatted(window, prefix, PREFIX, SLIDING_WINDOW));
    }
    Config sizes =
        ConfigFactory.parseMap(
            Map.of("window", window - prefix, PREFIX, prefix), "--eviction-window");
    return new PolicySpec(spec.display(), spec.name(), spec.settings().withFallback(sizes));
  }

  /** Refuses settings that need other tokens in each layer or head: a cell belongs to all. */
  static void requireOneSet(TokensConfig tokens, String policy) {
    TokenAlias method = TokenAlias.resolve(policy, tokens.budget().name());
    if (TokenAlias.names().contains(policy)) {
      String plain = method.policy().equals(policy) ? "snapkv" : method.policy();
      throw needs("'%s'".formatted(policy), "take '%s'".formatted(plain));
    } else if (!method.budget().equals("uniform")) {
      throw needs("ebb.tokens.budget = %s".formatted(method.budget()), "take 'uniform'");
    } else if (!tokens.layers().isEmpty()) {
      throw needs("ebb.tokens.layers", "leave it empty");
    } else if (!tokens.pressure().isEmpty()) {
      throw new UserError(
          "ebb.tokens.pressure is not for generate, which runs one policy; leave it empty");
    }
  }

  private static UserError needs(String what, String instead) {
    return new UserError(
        "%s keeps other tokens in each layer or head, but llama.cpp keeps one set for all; %s"
            .formatted(what, instead));
  }

  /** A wrong setting is reported when the policy is made. */
  private static int prefix(Config settings) {
    try {
      return settings.hasPath(PREFIX) ? settings.getInt(PREFIX) : USUAL_PREFIX;
    } catch (ConfigException wrong) {
      return USUAL_PREFIX;
    }
  }
}
