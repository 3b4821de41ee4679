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

  /** The largest weight that can be stated. */
  static final int LARGEST_WEIGHT = 1 << 16;

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

  /** Returns the same with the smallest whole weights, at most {@value #LARGEST_WEIGHT}. */
  public SizedGroups reduced() {
    int common = weights.stream().reduce(0, SizedGroups::commonDivisor);
    int largest = weights.stream().mapToInt(Integer::intValue).max().orElse(0);
    double unit = Math.max(Math.max(1, common), (double) largest / LARGEST_WEIGHT);
    return new SizedGroups(
        groups, weights.stream().map(each -> (int) Math.max(1, Math.round(each / unit))).toList());
  }

  private static int commonDivisor(int one, int other) {
    return other == 0 ? one : commonDivisor(other, one % other);
  }

  @Override
  public String toString() {
    return IntStream.range(0, weights.size())
        .mapToObj(group -> groups.get(group) + ":" + weights.get(group))
        .collect(Collectors.joining(","));
  }
}
