package dev.ebb.host.group;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Groups with the size of each group's object.
 *
 * @param weights in units of whoever counts, by group
 */
public record SizedGroups(ObjectGroups groups, List<Integer> weights) {

  /** Copies the weights. */
  public SizedGroups {
    weights = List.copyOf(weights);
    if (weights.size() != groups.size()) {
      throw new IllegalArgumentException("each group needs a weight");
    }
  }

  /** Returns the weight of a chunk that has all its objects. */
  public int whole() {
    return weights.stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns the weight of what a chunk always keeps: the objects of full attention. */
  public int full() {
    return IntStream.range(0, weights.size()).filter(groups::isFull).map(weights::get).sum();
  }

  @Override
  public String toString() {
    return IntStream.range(0, weights.size())
        .mapToObj(group -> groups.get(group) + ":" + weights.get(group))
        .collect(Collectors.joining(","));
  }
}
