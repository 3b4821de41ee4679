package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.replay.ReplayHints;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.wiring.Host;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The policies of a replay, and how often and how many at the same time they run. */
final class RunOptions {

  private static final int MOST_SEEDS = 1_000;
  private static final int MOST_WAITING = 10_000;

  @Option(
      names = {"-p", "--policies"},
      paramLabel = "LIST",
      description =
          "Policies to compare, each with settings in parentheses if wanted; all that are installed"
              + " if not given")
  private @Nullable String policies;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Repeats each run with N seeds, from --seed on, also of the synthetic trace; shows the"
              + " mean and the spread")
  private int seeds;

  @Option(
      names = {"-j", "--jobs"},
      paramLabel = "N",
      description =
          "Runs at the same time; one for each core if not given. With 1, each run has its core to"
              + " itself, and time per access and victim are measured")
  private @Nullable Integer jobs;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Repeats each run; the last counts, so that speed is measured warm")
  private int repeat;

  @Option(
      names = "--min-access-count",
      paramLabel = "N",
      description =
          "Uses before a block is handed to the policy; until then it waits in a queue. 1 for no"
              + " wait; ebb.eviction.min-access-count if not given")
  private @Nullable Integer minAccesses;

  @Option(
      names = "--lookahead",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Assumes that the next N requests of the trace wait while one is served, so that policies"
              + " see which blocks they need, as in an engine with a queue")
  private int lookahead;

  @Option(
      names = "--hints",
      paramLabel = "HINTS",
      description =
          "Runs each policy without and with KV hints: those of the trace (trace), or invented ones"
              + " of which a share is right (retain:0.8)")
  private @Nullable String hints;

  @Option(
      names = "--curve",
      description =
          "Shows the hit ratio over the cache size: by default 20 sizes from 0.1%% to 100%% of the"
              + " distinct blocks. One pass over the trace measures all sizes of LRU; other policies"
              + " run once for each")
  private boolean curve;

  @Option(
      names = "--groups",
      paramLabel = "LIST",
      description =
          "The object groups of a hybrid model, each with the size of its object: full, state or"
              + " window=CHUNKS, such as full:1,state:3. Capacities are in whole chunks then, and"
              + " only prefixes that all groups can serve are hits")
  private @Nullable String groups;

  @Option(
      names = "--no-optimum",
      description =
          "Computes neither the optimum nor LRU to compare with, which saves time and memory with"
              + " large traces")
  private boolean noOptimum;

  @Option(
      names = "--log-runs",
      paramLabel = "FILE",
      description =
          "Also appends each run to a new file when it ends, as a line of JSON, so that an"
              + " interrupted replay keeps what it found")
  private @Nullable String logFile;

  /** Returns the list as given; null for all that are installed. */
  @Nullable String policyNames() {
    return policies;
  }

  /** Returns whether all installed policies run. */
  boolean allPolicies() {
    return policies == null;
  }

  List<PolicySpec> policies(Host host) {
    return PolicyList.read(policies, host.policies());
  }

  int seeds() {
    return (int) Usage.between("--seeds", seeds, 1, MOST_SEEDS);
  }

  int jobs() {
    return (int) Usage.atLeastOne("--jobs", jobs, Runtime.getRuntime().availableProcessors());
  }

  int repeat() {
    return (int) Usage.atLeastOne("--repeat", repeat, 1);
  }

  int lookahead() {
    return (int) Usage.between("--lookahead", lookahead, 0, MOST_WAITING);
  }

  boolean optimum() {
    return !noOptimum;
  }

  boolean curve() {
    return curve;
  }

  /**
   * Returns where each run is logged.
   *
   * @throws UserError if it exists or cannot be written
   */
  RunLog log() {
    return new RunLog(logFile == null ? null : new OutputFile(logFile, "--log-runs").mustBeNew());
  }

  /**
   * Returns the hints whose worth is measured; null for none.
   *
   * @throws UserError if the option is wrong, or a trace's ids are no blocks of prompts
   */
  @Nullable ReplayHints hints(ReplayModel model) {
    if (hints != null && model != ReplayModel.PREFIX) {
      throw new UserError("--hints: '%s' needs --model prefix".formatted(hints));
    }
    return hints == null ? null : ReplayHints.parse(hints);
  }

  /**
   * Returns the object groups; null for a model with one.
   *
   * @throws UserError if the option is wrong, or a trace's ids are no blocks of prompts
   */
  @Nullable SizedGroups groups(ReplayModel model) {
    if (groups != null && model != ReplayModel.PREFIX) {
      throw new UserError("--groups: '%s' needs --model prefix".formatted(groups));
    }
    return groups == null ? null : ObjectGroups.parseSized("--groups", groups);
  }

  /**
   * Returns the overrides of the configuration.
   *
   * @throws UserError if an option is wrong
   */
  List<ConfigOverride> overrides() {
    return minAccesses == null
        ? List.of()
        : List.of(
            new ConfigOverride(
                "ebb.eviction.min-access-count",
                Usage.between("--min-access-count", minAccesses, 1, Long.MAX_VALUE),
                "--min-access-count"));
  }
}
