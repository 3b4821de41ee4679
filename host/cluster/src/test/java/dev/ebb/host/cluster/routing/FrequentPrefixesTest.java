package dev.ebb.host.cluster.routing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.routing.FrequentPrefixes.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index against a model that keeps every request and compares tokens one by one. */
class FrequentPrefixesTest {

  private static final double HALF_LIFE = 100;

  /** Prefixes as token lists, the least recently used first, each with its requests. */
  private static final class Model {

    private record Served(int node, double time) {}

    private final int capacity;
    private final LinkedHashSet<List<Integer>> order = new LinkedHashSet<>();
    private final Map<List<Integer>, List<Served>> served = new HashMap<>();

    Model(int capacity) {
      this.capacity = capacity;
    }

    static List<List<Integer>> prefixes(int[] tokens, int chunk) {
      TreeSet<Integer> lengths = new TreeSet<>(List.of(16, 32, 64, 128));
      for (int length = chunk; length <= tokens.length; length += chunk) {
        lengths.add(length);
      }
      List<Integer> all = Arrays.stream(tokens).boxed().toList();
      return lengths.descendingSet().stream()
          .filter(length -> length <= tokens.length)
          .map(length -> all.subList(0, length))
          .toList();
    }

    void serve(int[] tokens, int chunk, int node, double now) {
      for (List<Integer> prefix : prefixes(tokens, chunk)) {
        order.remove(prefix);
        order.add(prefix);
        served.computeIfAbsent(prefix, any -> new ArrayList<>()).add(new Served(node, now));
      }
      while (order.size() > capacity) {
        served.remove(order.removeFirst());
      }
    }

    Map<Integer, Match> find(int[] tokens, int chunk, double now) {
      Map<Integer, Match> found = new HashMap<>();
      for (List<Integer> prefix : prefixes(tokens, chunk)) {
        if (!served.containsKey(prefix)) {
          continue;
        }
        order.remove(prefix);
        order.add(prefix);
        Map<Integer, Double> weights = new HashMap<>();
        served
            .get(prefix)
            .forEach(each ->
                weights.merge(
                    each.node(), Math.pow(0.5, (now - each.time()) / HALF_LIFE), Double::sum));
        weights.forEach((node, weight) -> {
          if (weight >= 1.0 / 16) {
            found.putIfAbsent(node, new Match(prefix.size(), weight));
          }
        });
      }
      return found;
    }
  }

  /** Prompts that share prefixes of many lengths. */
  private static int[] prompt(Random random) {
    int[] tokens = new int[random.nextInt(1, 200)];
    int shared = random.nextInt(tokens.length + 1);
    int family = random.nextInt(3);
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i < shared ? family * 1_000 + i : random.nextInt();
    }
    return tokens;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 40, 10_000})
  void itFindsWhatTheModelFinds(int capacity) {
    Random random = new Random(capacity);
    FrequentPrefixes index = new FrequentPrefixes(capacity, HALF_LIFE);
    Model model = new Model(capacity);
    int[] chunks = {8, 16, 20, 256};
    double now = 0;
    int found = 0;
    for (int step = 0; step < 1_000; step++) {
      now += random.nextDouble() * 5;
      int[] tokens = prompt(random);
      int chunk = chunks[random.nextInt(chunks.length)];
      Map<Integer, Match> expected = model.find(tokens, chunk, now);
      Map<Integer, Match> actual = index.find(tokens, chunk, now);
      assertThat(actual.keySet()).isEqualTo(expected.keySet());
      expected.forEach((node, match) -> {
        assertThat(requireNonNull(actual.get(node)).tokens()).isEqualTo(match.tokens());
        assertThat(requireNonNull(actual.get(node)).weight())
            .isCloseTo(match.weight(), Offset.offset(1e-6));
      });
      found += expected.size();
      int node = random.nextInt(FrequentPrefixes.MOST_NODES) - 1;
      model.serve(tokens, chunk, node, now);
      index.served(tokens, chunk, node, now);
      assertThat(index.size()).isEqualTo(model.order.size()).isLessThanOrEqualTo(capacity);
    }
    assertThat(found).isPositive();
  }

  @Test
  void ofManyNodesTheFrequentOnesStay() {
    FrequentPrefixes index = new FrequentPrefixes(100, HALF_LIFE);
    int[] tokens = new int[16];
    for (int i = 0; i < 50; i++) {
      index.served(tokens, 256, 1, i);
      index.served(tokens, 256, 2, i);
      index.served(tokens, 256, 100 + i, i);
    }
    Map<Integer, Match> found = index.find(tokens, 256, 50);
    assertThat(found).containsKeys(1, 2).hasSizeLessThanOrEqualTo(FrequentPrefixes.MOST_NODES);
    assertThat(requireNonNull(found.get(1)).weight()).isGreaterThan(30);
  }

  @Test
  void aLongPromptTakesABoundedNumberOfPrefixes() {
    FrequentPrefixes index = new FrequentPrefixes(1 << 20, HALF_LIFE);
    int[] tokens = new int[200_000];
    index.served(tokens, 1, 1, 0);
    assertThat(index.size()).isEqualTo(FrequentPrefixes.MOST_CHUNKS);
    assertThat(requireNonNull(index.find(tokens, 1, 0).get(1)).tokens())
        .isEqualTo(FrequentPrefixes.MOST_CHUNKS);
  }
}
