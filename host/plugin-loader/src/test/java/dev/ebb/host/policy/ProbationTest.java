package dev.ebb.host.policy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import dev.ebb.testkit.BlockPolicyChecks;
import dev.ebb.testkit.Check;
import dev.ebb.testkit.CheckSettings;
import dev.ebb.testkit.TestDemand;
import dev.ebb.testkit.TestEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProbationTest {

  private static final Demand ONE = TestDemand.of(1);

  /** Newcomers in order of arrival, the others in order of use, as plain lists. */
  private static final class Naive {
    private final List<TestEntry> waiting = new ArrayList<>();
    private final List<TestEntry> judged = new ArrayList<>();
    private final Map<TestEntry, Integer> uses = new HashMap<>();
    private final int minAccesses;
    private final long share;

    Naive(int minAccesses, long share) {
      this.minAccesses = minAccesses;
      this.share = share;
    }

    void inserted(TestEntry entry) {
      uses.put(entry, 1);
      waiting.add(entry);
    }

    void accessed(TestEntry entry) {
      if (judged.remove(entry)) {
        judged.add(entry);
      } else if (uses.merge(entry, 1, Integer::sum) == minAccesses) {
        waiting.remove(entry);
        judged.add(entry);
      }
    }

    void removed(TestEntry entry) {
      waiting.remove(entry);
      judged.remove(entry);
    }

    @Nullable TestEntry victim() {
      long blocks = waiting.stream().mapToLong(TestEntry::blocks).sum();
      List<TestEntry> from = blocks > share || judged.isEmpty() ? waiting : judged;
      return from.isEmpty() ? null : from.getFirst();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  @SuppressWarnings("unchecked")
  void victimsAreThoseOfPlainLists(long seed) {
    Random random = new Random(seed);
    int minAccesses = 2 + random.nextInt(3);
    BlockPolicy<Object> policy =
        (BlockPolicy<Object>)
            Probation.before("builtin-lru", new BuiltInLru(), minAccesses, 0.1, 200);
    Naive naive = new Naive(minAccesses, 20);
    List<TestEntry> residents = new ArrayList<>();
    Map<TestEntry, Object> nodes = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      switch (residents.isEmpty() ? 0 : random.nextInt(8)) {
        case 0, 1 -> {
          TestEntry entry = TestEntry.of(step).blocks(1 + random.nextInt(3));
          residents.add(entry);
          nodes.put(entry, policy.inserted(entry));
          naive.inserted(entry);
        }
        case 2 -> {
          TestEntry entry = residents.remove(random.nextInt(residents.size()));
          policy.removed(requireNonNull(nodes.remove(entry)), RemovalCause.DELETED);
          naive.removed(entry);
        }
        case 3 -> {
          TestEntry expected = naive.victim();
          assertThat(policy.victim(ONE)).isSameAs(expected);
          if (expected != null) {
            residents.remove(expected);
            policy.removed(requireNonNull(nodes.remove(expected)), RemovalCause.EVICTED);
            naive.removed(expected);
          }
        }
        default -> {
          TestEntry entry = residents.get(random.nextInt(residents.size()));
          policy.accessed(requireNonNull(nodes.get(entry)));
          naive.accessed(entry);
        }
      }
      assertThat(policy.size()).isEqualTo(residents.size());
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void whoMakesUpTheNumberWhileSetAsideIsHandedOverAfterwards() {
    BlockPolicy<Object> policy =
        (BlockPolicy<Object>) Probation.before("builtin-lru", new BuiltInLru(), 2, 0.0, 10);
    TestEntry entry = TestEntry.of(1);
    Object node = policy.inserted(entry);
    assertThat(policy.explain(node)).isEqualTo("on probation: 1 of 2 uses");
    assertThat(policy.victim(ONE)).isSameAs(entry);
    policy.refused(node);
    policy.accessed(node);
    assertThat(policy.victim(ONE)).isNull();
    assertThat(policy.gauges()).containsEntry("probation-entries", 1.0);
    policy.released(node);
    assertThat(policy.gauges()).containsEntry("probation-entries", 0.0);
    assertThat(policy.victim(ONE)).isSameAs(entry);
  }

  static Stream<Check> contract() {
    return Stream.of(provider(false), provider(true))
        .flatMap(provider -> BlockPolicyChecks.of(provider, CheckSettings.defaults()).stream());
  }

  @ParameterizedTest
  @MethodSource("contract")
  void keepsTheContractOfPolicies(Check check) {
    check.run().orThrow();
  }

  private static BlockPolicyProvider provider(boolean hearing) {
    return new BlockPolicyProvider() {
      @Override
      public String name() {
        return hearing ? "hearing" : "plain";
      }

      @Override
      public BlockPolicy<?> create(PolicyContext context) {
        return Probation.before(
            "builtin-lru",
            hearing ? new Hearing() : new BuiltInLru(),
            2,
            0.2,
            context.capacityBlocks());
      }
    };
  }

  /** Least recently used, and insists on hearing of each request in order. */
  private static final class Hearing extends DelegatingPolicy<BuiltInLru.Node> {
    private boolean running;

    Hearing() {
      super(new BuiltInLru());
    }

    @Override
    public void began(Request request) {
      assertThat(running).isFalse();
      running = true;
    }

    @Override
    public void ended(Request request) {
      running = false;
    }
  }
}
