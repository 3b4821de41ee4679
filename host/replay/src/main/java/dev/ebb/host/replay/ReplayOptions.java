package dev.ebb.host.replay;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a replay.
 *
 * @param blockTokens tokens in a full block, 0 to infer them from the trace
 * @param limit requests to replay at most, at least 1
 * @param jobs runs at the same time, at least 1; with 1, a run has its core to itself and is timed
 * @param repeat times each run is repeated, at least 1; the last one counts
 * @param seed seed of the policies' randomness
 * @param seeds each run is repeated with so many seeds, from {@code seed} on; at least 1
 * @param respectPriority whether a request evicts entries of higher priority only if there are no
 *     others
 * @param lookahead how many requests of the trace count as waiting behind the one that is served
 * @param optimum whether to compute the optimum and LRU as bounds, which takes most of the time of
 *     a cheap policy
 * @param curve whether one pass over the trace measures all capacities of a policy that allows it
 * @param groups the object groups of a hybrid model, with their weights; null for a model with one.
 *     Capacities are in whole chunks then
 * @param tiers a disk behind the memory, in place of {@code capacities}; null for none
 * @param hints hints with and without which each policy runs; null to use those of the trace
 */
public record ReplayOptions(
    List<PolicySpec> policies,
    List<Capacity> capacities,
    ReplayModel model,
    int blockTokens,
    long limit,
    int jobs,
    int repeat,
    long seed,
    int seeds,
    boolean respectPriority,
    int lookahead,
    boolean optimum,
    boolean curve,
    @Nullable SizedGroups groups,
    @Nullable TierOptions tiers,
    @Nullable ReplayHints hints) {

  /** Copies the lists without duplicates. */
  public ReplayOptions {
    Set<List<Object>> known = new HashSet<>();
    policies =
        policies.stream()
            .filter(policy -> known.add(List.of(policy.name(), policy.settings())))
            .toList();
    capacities = List.copyOf(capacities);
  }

  /** Returns the options of one run for each policy and capacity, and of the bounds. */
  public static ReplayOptions of(
      List<PolicySpec> policies,
      List<Capacity> capacities,
      ReplayModel model,
      long limit,
      int jobs,
      long seed,
      boolean respectPriority) {
    return new ReplayOptions(
        policies,
        capacities,
        model,
        0,
        limit,
        jobs,
        1,
        seed,
        1,
        respectPriority,
        0,
        true,
        false,
        null,
        null,
        null);
  }

  /**
   * Returns the same with the tokens of a full block known.
   *
   * @param known tokens, used unless they were given already
   */
  public ReplayOptions withBlockTokens(int known) {
    int tokens = blockTokens > 0 ? blockTokens : known;
    return with(capacities, tokens, seed, seeds, groups, tiers);
  }

  /**
   * Returns the same for one seed and capacities in blocks.
   *
   * @param distinctBlocks different blocks in the trace, for capacities that are a share of them
   */
  public ReplayOptions withSeed(long one, long distinctBlocks) {
    return with(
        capacities.stream().map(capacity -> capacity.inBlocks(distinctBlocks)).toList(),
        blockTokens,
        one,
        1,
        groups,
        tiers == null ? null : tiers.withBlocks(distinctBlocks));
  }

  /**
   * Returns the same with the object groups that a trace names, unless they were given already.
   *
   * @param named those of its requests
   * @throws UserError if there are several
   */
  ReplayOptions withGroups(String trace, List<String> named) {
    if (groups != null || named.isEmpty() || model != ReplayModel.PREFIX) {
      return this;
    }
    if (named.size() > 1) {
      throw new UserError(
          "'%s' has requests of models with different object groups: %s; choose some with --groups"
              .formatted(trace, String.join(" and ", named)));
    }
    if (tiers != null) {
      throw new UserError(
          "--tiers simulates models with one object group, and the requests of '%s' have '%s'; use --capacity"
              .formatted(trace, named.getFirst()));
    }
    SizedGroups known = ObjectGroups.parseSized("object_groups", named.getFirst());
    return with(capacities, blockTokens, seed, seeds, known, null);
  }

  private ReplayOptions with(
      List<Capacity> capacities,
      int blockTokens,
      long seed,
      int seeds,
      @Nullable SizedGroups groups,
      @Nullable TierOptions tiers) {
    return new ReplayOptions(
        policies,
        capacities,
        model,
        blockTokens,
        limit,
        jobs,
        repeat,
        seed,
        seeds,
        respectPriority,
        lookahead,
        optimum,
        curve,
        groups,
        tiers,
        hints);
  }

  /**
   * Returns the capacities to replay in blocks, smallest first: with tiers, that of both together.
   *
   * @param distinctBlocks different blocks in the trace; any number if no capacity is a share
   */
  List<Long> blocks(long distinctBlocks) {
    return tiers != null
        ? List.of(tiers.sum(distinctBlocks))
        : capacities.stream()
            .map(capacity -> capacity.blocksOf(distinctBlocks))
            .distinct()
            .sorted()
            .toList();
  }

  /** Returns a capacity in the units of a cache: the weights of a hybrid model. */
  long units(long capacityBlocks) {
    return units(capacityBlocks, groups);
  }

  /** Does the same for given groups. */
  static long units(long capacityBlocks, @Nullable SizedGroups groups) {
    return groups == null ? capacityBlocks : capacityBlocks * groups.whole();
  }

  /** Returns how many chunks a capacity holds if they have objects of full attention only. */
  long chunksOfFullAttention(long capacityBlocks) {
    return groups == null ? capacityBlocks : units(capacityBlocks) / groups.full();
  }

  /**
   * Checks that a stream can be replayed.
   *
   * @throws UserError if a capacity is a share of the distinct blocks, or runs are repeated
   */
  public void checkForStream() {
    if (curve) {
      throw new UserError("--curve needs a trace that can be read again; name a file");
    }
    if (hints != null) {
      throw new UserError("--hints needs a trace that can be read again; name a file");
    }
    if (repeat > 1) {
      throw new UserError(
          "--repeat: '%d' needs a trace that can be read again, but a stream cannot; name a file, or"
                  .formatted(repeat)
              + " leave --repeat out");
    }
    String option = tiers == null ? "--capacity" : "--tiers";
    String example = tiers == null ? "10000" : "10000,100000";
    for (Capacity capacity : tiers == null ? capacities : List.of(tiers.memory(), tiers.disk())) {
      if (capacity.relative()) {
        throw new UserError(
            "%s: '%s' is a share of the distinct blocks, which are not known before a stream has ended; give a number of blocks, such as %s %s"
                .formatted(option, capacity.text(), option, example));
      }
    }
  }
}
