package dev.ebb.host.cli.serve;

import dev.ebb.host.cli.options.AdminOptions;
import dev.ebb.host.cli.options.OptionOverrides;
import dev.ebb.host.cli.options.OptionValues;
import dev.ebb.host.config.hocon.ConfigOverride;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of {@code ebb serve}; each sets a configuration key. */
final class ServeGroup {

  private static final String PREDICTIVE = "predictive";
  private static final List<String> PREDICTING = List.of(PREDICTIVE, "lifetime");

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--port",
      converter = OptionValues.Port.class,
      paramLabel = "N",
      description = "The port, 0 for any free one; by default ebb.server.port")
  private @Nullable Integer port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The address to listen on; by default ebb.server.bind")
  private @Nullable String bind;

  @Option(
      names = "--pool-size",
      paramLabel = "SIZE",
      description = "The pool: 8 GiB, or '60 %%' of the memory available; by default ebb.pool.size")
  private @Nullable String poolSize;

  @Option(
      names = "--eviction-policy",
      paramLabel = "NAME",
      description = "The policy that evicts when the pool is full; by default ebb.eviction.policy")
  private @Nullable String policy;

  @Option(
      names = "--enable-lifetime-prediction",
      description =
          "Chooses the policy predictive, or lifetime if --eviction-policy names it. predictive"
              + " needs the chains of prompts: see ebb.server.chains")
  private boolean prediction;

  @Option(
      names = "--eviction-threshold",
      paramLabel = "SHARE",
      description = "Occupancy above which eviction starts; by default ebb.eviction.threshold")
  private @Nullable Double threshold;

  @Option(
      names = "--eviction-target",
      paramLabel = "SHARE",
      description = "Occupancy at which it stops; by default ebb.eviction.target")
  private @Nullable Double target;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      description = "How long an unused value lives: '10 m'; by default ebb.eviction.ttl")
  private @Nullable String ttl;

  @Mixin private AdminOptions admin;

  List<ConfigOverride> overrides() {
    return admin
        .addTo(
            new OptionOverrides()
                .add("--port", "ebb.server.port", port)
                .add("--bind", "ebb.server.bind", bind)
                .add("--pool-size", "ebb.pool.size", poolSize)
                .add(policySource(), "ebb.eviction.policy", chosenPolicy())
                .add("--eviction-threshold", "ebb.eviction.threshold", threshold)
                .add("--eviction-target", "ebb.eviction.target", target)
                .add("--ttl", "ebb.eviction.ttl", ttl))
        .given();
  }

  private String policySource() {
    return policy == null ? "--enable-lifetime-prediction" : "--eviction-policy";
  }

  private @Nullable String chosenPolicy() {
    if (!prediction) {
      return policy;
    }
    if (policy != null && !PREDICTING.contains(policy)) {
      throw new ParameterException(
          spec.commandLine(),
          "'--eviction-policy': '%s' does not predict lifetimes; with --enable-lifetime-prediction use one of %s, or leave it out"
              .formatted(policy, PREDICTING));
    }
    return policy == null ? PREDICTIVE : policy;
  }
}
