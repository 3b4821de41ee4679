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
 * @param groups the object groups of a hybrid model, with their weights; null for a model with one.
 *     Capacities are in whole chunks then
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
    @Nullable SizedGroups groups) {

  /** Copies the lists without duplicates. */
  public ReplayOptions {
    Set<List<Object>> known = new HashSet<>();
    policies =
        policies.stream()
            .filter(policy -> known.add(List.of(policy.name(), policy.settings())))
            .toList();
    capacities = List.copyOf(capacities);
  }

  /**
   * Returns the same with the tokens of a full block known.
   *
   * @param known tokens, used unless they were given already
   */
  public ReplayOptions withBlockTokens(int known) {
    return new ReplayOptions(
        policies,
        capacities,
        model,
        blockTokens > 0 ? blockTokens : known,
        limit,
        jobs,
        repeat,
        seed,
        seeds,
        respectPriority,
        lookahead,
        groups);
  }

  /**
   * Returns the same for one seed and capacities in blocks.
   *
   * @param distinctBlocks different blocks in the trace, for capacities that are a share of them
   */
  public ReplayOptions withSeed(long one, long distinctBlocks) {
    return new ReplayOptions(
        policies,
        capacities.stream()
            .map(capacity -> new Capacity(capacity.text(), capacity.blocksOf(distinctBlocks), 0))
            .toList(),
        model,
        blockTokens,
        limit,
        jobs,
        repeat,
        one,
        1,
        respectPriority,
        lookahead,
        groups);
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
        ObjectGroups.parseSized("object_groups", named.getFirst()));
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
    if (repeat > 1) {
      throw new UserError(
          "--repeat: '%d' needs a trace that can be read again, but a stream cannot; name a file, or"
                  .formatted(repeat)
              + " leave --repeat out");
    }
    for (Capacity capacity : capacities) {
      if (capacity.relative()) {
        throw new UserError(
            "--capacity: '%s' is a share of the distinct blocks, which are not known before a stream"
                    .formatted(capacity.text())
                + " has ended; give a number of blocks, such as --capacity 10000");
      }
    }
  }
}
