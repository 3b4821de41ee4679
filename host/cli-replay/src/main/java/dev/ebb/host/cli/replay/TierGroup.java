package dev.ebb.host.cli.replay;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.replay.TierOptions;
import dev.ebb.host.wiring.Host;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of a disk behind the memory of a replay. */
final class TierGroup {

  private static final List<String> OTHERS = List.of("--capacity", "--groups");

  private static final long MOST_REGION_BLOCKS = 1 << 20;

  @Option(
      names = "--tiers",
      required = true,
      paramLabel = "MEMORY,DISK",
      description =
          "Capacities of the memory and of the disk, such as 5%%,50%%. Each policy is also replayed"
              + " in one memory of the size of both")
  private String tiers;

  @Option(
      names = "--disk-policy",
      paramLabel = "POLICY",
      description = "The policy of the disk; that of the memory if not given")
  private @Nullable String diskPolicy;

  @Option(
      names = "--disk-admission",
      paramLabel = "LIST",
      defaultValue = "all,second-use",
      description =
          "Which of the blocks that memory evicts are written to the disk: all; second-use (those"
              + " requested twice); reuse=40%% (so many, the most likely to return); or"
              + " write-budget=100000 (so many a day, the most likely to return). Each rule is"
              + " replayed")
  private String admission;

  @Option(
      names = "--disk-regions",
      paramLabel = "BLOCKS",
      description =
          "Also replays a disk that is written in regions of so many blocks, and evicts the oldest"
              + " region as a whole; blocks used since they were written are written again")
  private @Nullable Integer regionBlocks;

  /**
   * Returns the options.
   *
   * @throws UserError if one is wrong, or another option has no meaning with them
   */
  TierOptions read(CommandSpec command, ReplayModel model, List<PolicySpec> policies, Host host) {
    command.commandLine().getParseResult().matchedOptions().stream()
        .map(option -> option.longestName())
        .filter(OTHERS::contains)
        .findFirst()
        .ifPresent(name -> {
          throw new UserError("%s cannot be given with --tiers; leave it out".formatted(name));
        });
    if (model != ReplayModel.PREFIX) {
      throw new UserError("--tiers: '%s' needs --model prefix".formatted(tiers));
    }
    List<Capacity> capacities = Capacity.parseAll(tiers, "--tiers");
    if (capacities.size() != 2) {
      throw new UserError(
          "--tiers: '%s' must be two capacities, of the memory and of the disk, such as 5%%,50%%"
              .formatted(tiers));
    }
    PolicySpec ofDisk = diskPolicy(host);
    checkEvicts(ofDisk == null ? policies : List.of(ofDisk));
    return new TierOptions(
        capacities.getFirst(),
        capacities.getLast(),
        ofDisk,
        AdmissionRule.parseAll(admission, "--disk-admission"),
        regionBlocks == null
            ? 0
            : (int) Usage.between("--disk-regions", regionBlocks, 1, MOST_REGION_BLOCKS));
  }

  private @Nullable PolicySpec diskPolicy(Host host) {
    if (diskPolicy == null) {
      return null;
    }
    PolicySpec spec = PolicySpec.parse(diskPolicy, "--disk-policy");
    UserError.throwIfAny(
        host.policies().problems(spec).stream()
            .map(problem ->
                problem.startsWith("--disk-policy") ? problem : "--disk-policy: " + problem)
            .toList());
    return spec;
  }

  private static void checkEvicts(List<PolicySpec> ofDisk) {
    if (ofDisk.stream().anyMatch(policy -> policy.name().equals(NoEviction.NAME))) {
      throw new UserError(
          "--disk-policy: '%s' never evicts, and a full disk has to; name another policy"
              .formatted(NoEviction.NAME));
    }
  }
}
