package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the host may do, in any order, at random: what is offered is held and not set aside. */
class AnyOrderOfEventsTest {

  private final List<SimulatedEntry> candidates = new ArrayList<>();
  private final List<SimulatedEntry> aside = new ArrayList<>();
  private final Map<Entry, Object> nodes = new LinkedHashMap<>();
  private long fingerprints;

  static Stream<BlockPolicyProvider> providers() {
    return Stream.of(new PredictiveProvider(), new LifetimeProvider());
  }

  @ParameterizedTest
  @MethodSource("providers")
  void everyCandidateIsOfferedInTheEnd(BlockPolicyProvider provider) {
    for (long seed = 1; seed <= 5; seed++) {
      run(provider, seed);
    }
  }

  @SuppressWarnings("unchecked")
  private void run(BlockPolicyProvider provider, long seed) {
    Random random = new Random(seed);
    TestContext context = new TestContext(100, seed, Map.of("least-ghosts", 0L, "ghosts", 1.0));
    BlockPolicy<Object> policy = (BlockPolicy<Object>) provider.create(context);
    AnyDemand demand = new AnyDemand();
    candidates.clear();
    aside.clear();
    nodes.clear();
    for (int step = 0; step < 20_000; step++) {
      context.nanos += random.nextInt(200_000_000);
      switch (random.nextInt(8)) {
        case 0, 1 -> insertChain(policy, context, random);
        case 2 -> {
          if (!candidates.isEmpty()) {
            policy.accessed(node(any(candidates, random)));
          }
        }
        case 3 -> {
          if (!aside.isEmpty()) {
            policy.accessed(node(any(aside, random)));
          }
        }
        case 4 -> {
          if (!aside.isEmpty()) {
            SimulatedEntry entry = any(aside, random);
            aside.remove(entry);
            candidates.add(entry);
            policy.released(node(entry));
          }
        }
        case 5 -> {
          List<SimulatedEntry> from = random.nextBoolean() ? aside : candidates;
          if (!from.isEmpty()) {
            SimulatedEntry entry = any(from, random);
            from.remove(entry);
            remove(policy, entry, RemovalCause.DELETED);
          }
        }
        default -> {
          SimulatedEntry offered = (SimulatedEntry) policy.victim(demand);
          if (offered != null) {
            assertThat(candidates.remove(offered)).as("seed %d step %d", seed, step).isTrue();
            if (random.nextInt(4) == 0) {
              aside.add(offered);
              policy.refused(node(offered));
            } else {
              remove(policy, offered, RemovalCause.EVICTED);
            }
          }
        }
      }
      assertThat(policy.size()).isEqualTo(nodes.size());
    }
    drain(policy);
  }

  private void drain(BlockPolicy<Object> policy) {
    for (SimulatedEntry entry : aside) {
      policy.released(node(entry));
    }
    candidates.addAll(aside);
    Entry offered = policy.victim(new AnyDemand());
    while (offered != null) {
      assertThat(candidates.remove((SimulatedEntry) offered)).isTrue();
      remove(policy, (SimulatedEntry) offered, RemovalCause.EVICTED);
      offered = policy.victim(new AnyDemand());
    }
    assertThat(candidates).isEmpty();
    assertThat(policy.size()).isZero();
  }

  // With or without a request around it, new or handed over, and sometimes without an end.
  private void insertChain(BlockPolicy<Object> policy, TestContext context, Random random) {
    SimulatedRequest request = new SimulatedRequest();
    request.chain = new long[1 + random.nextInt(6)];
    for (int i = 0; i < request.chain.length; i++) {
      boolean returns = random.nextInt(3) == 0 && fingerprints > 0;
      request.chain[i] = returns ? random.nextLong(fingerprints) : fingerprints++;
    }
    boolean told = random.nextInt(4) > 0;
    if (told) {
      policy.began(request);
    }
    for (int i = request.chain.length - 1; i >= 0; i--) {
      if (random.nextInt(10) > 0) {
        SimulatedEntry entry = new SimulatedEntry(request.chain[i], i);
        entry.accessNanos = context.nanos - (told ? 0 : random.nextInt(2_000_000_000));
        entry.origin = told ? Origin.NEW : Origin.HANDED_OVER;
        nodes.put(entry, policy.inserted(entry));
        candidates.add(entry);
      }
    }
    policy.ended(request);
  }

  private void remove(BlockPolicy<Object> policy, SimulatedEntry entry, RemovalCause cause) {
    policy.removed(node(entry), cause);
    nodes.remove(entry);
  }

  private Object node(SimulatedEntry entry) {
    return Objects.requireNonNull(nodes.get(entry));
  }

  private static SimulatedEntry any(List<SimulatedEntry> entries, Random random) {
    return entries.get(random.nextInt(entries.size()));
  }
}
