package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plugin.predictive.lifetime.LifetimePolicy;
import dev.ebb.plugin.predictive.lifetime.OnlinePredictor;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
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

  private final List<SimEntry> candidates = new ArrayList<>();
  private final List<SimEntry> aside = new ArrayList<>();
  private final Map<Entry, Object> nodes = new LinkedHashMap<>();
  private int ids;

  static Stream<BlockPolicyProvider> providers() {
    return Stream.of(PredictivePolicies.PREDICTIVE, LifetimePolicy.PROVIDER);
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
    TestContext context =
        TestContext.ofCapacity(100)
            .withSeed(seed)
            .with("least-ghosts", "0")
            .with("ghosts", "1")
            .with(OnlinePredictor.PROVIDER);
    BlockPolicy<Object> policy = (BlockPolicy<Object>) provider.create(context);
    candidates.clear();
    aside.clear();
    nodes.clear();
    for (int step = 0; step < 20_000; step++) {
      context.clock().advance(Duration.ofNanos(random.nextInt(200_000_000)));
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
            SimEntry entry = any(aside, random);
            aside.remove(entry);
            candidates.add(entry);
            policy.released(node(entry));
          }
        }
        case 5 -> {
          List<SimEntry> from = random.nextBoolean() ? aside : candidates;
          if (!from.isEmpty()) {
            SimEntry entry = any(from, random);
            from.remove(entry);
            remove(policy, entry, RemovalCause.DELETED);
          }
        }
        default -> {
          SimEntry offered = (SimEntry) policy.victim(SimDemand.ONE_BLOCK);
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
    for (SimEntry entry : aside) {
      policy.released(node(entry));
    }
    candidates.addAll(aside);
    Entry offered = policy.victim(SimDemand.ONE_BLOCK);
    while (offered != null) {
      assertThat(candidates.remove((SimEntry) offered)).isTrue();
      remove(policy, (SimEntry) offered, RemovalCause.EVICTED);
      offered = policy.victim(SimDemand.ONE_BLOCK);
    }
    assertThat(candidates).isEmpty();
    assertThat(policy.size()).isZero();
  }

  // With or without a request around it, new or handed over, and sometimes without an end.
  private void insertChain(BlockPolicy<Object> policy, TestContext context, Random random) {
    SimRequest request = new SimRequest(new int[1 + random.nextInt(6)]);
    for (int i = 0; i < request.ids.length; i++) {
      boolean returns = random.nextInt(3) == 0 && ids > 0;
      request.ids[i] = returns ? random.nextInt(ids) : ids++;
    }
    boolean isNew = random.nextInt(4) > 0;
    if (isNew) {
      policy.began(request);
    }
    for (int i = request.ids.length - 1; i >= 0; i--) {
      if (random.nextInt(10) > 0) {
        SimEntry entry = new SimEntry(request.ids[i]);
        entry.depth = i;
        entry.lastAccessNanos =
            context.clock().nanos() - (isNew ? 0 : random.nextInt(2_000_000_000));
        entry.origin = isNew ? Origin.NEW : Origin.HANDED_OVER;
        nodes.put(entry, policy.inserted(entry));
        candidates.add(entry);
      }
    }
    policy.ended(request);
  }

  private void remove(BlockPolicy<Object> policy, SimEntry entry, RemovalCause cause) {
    policy.removed(node(entry), cause);
    nodes.remove(entry);
  }

  private Object node(SimEntry entry) {
    return Objects.requireNonNull(nodes.get(entry));
  }

  private static SimEntry any(List<SimEntry> entries, Random random) {
    return entries.get(random.nextInt(entries.size()));
  }
}
