package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains whose order the host has assumed, and corrects later. */
class AssumedOrderTest {

  private final TestContext context = TestContext.ofCapacity(200);
  private final PredictivePolicy policy =
      new PredictivePolicy(context, PredictiveSettings.read(context.settings()));
  private final Map<Integer, Resident> residents = new HashMap<>();

  /** A resident of a host that keeps the leaf rule. */
  private static final class Resident {
    private final SimEntry entry;
    private final List<Resident> children = new ArrayList<>();
    private @Nullable Resident parent;
    private @Nullable CachedBlock block;
    private boolean aside;

    private Resident(int id) {
      entry = new SimEntry(id);
    }

    private boolean isBelow(Resident other) {
      Resident on = this;
      while (on != null && on != other) {
        on = on.parent;
      }
      return on != null;
    }
  }

  private void request(int ordered, int from, List<Integer> ids) {
    context.clock().advance(Duration.ofMillis(100));
    List<Resident> path = new ArrayList<>();
    for (int id : ids) {
      Resident next = residents.computeIfAbsent(id, Resident::new);
      Resident parent = path.isEmpty() ? null : path.getLast();
      if (parent != null && parent.isBelow(next)) {
        break;
      }
      parent(next, parent);
      next.entry.depth = path.size();
      path.add(next);
    }
    for (int id : ids.subList(path.size(), ids.size())) {
      if (block(id) == null) {
        residents.remove(id);
      }
    }
    SimRequest request = new SimRequest(ids.stream().mapToInt(id -> id).toArray());
    request.ordered = ordered;
    policy.began(request);
    for (int i = path.size() - 1; i >= 0; i--) {
      Resident each = path.get(i);
      CachedBlock block = each.block;
      each.entry.lastAccessNanos = context.clock().nanos();
      if (block == null) {
        each.block = policy.inserted(each.entry);
      } else if (i >= from) {
        policy.accessed(block);
      }
    }
    policy.ended(request);
  }

  private CachedBlock block(int id) {
    return Objects.requireNonNull(Objects.requireNonNull(residents.get(id)).block);
  }

  private void parent(Resident child, @Nullable Resident next) {
    Resident before = child.parent;
    if (before != next) {
      leave(child);
      child.parent = next;
      if (next != null) {
        next.children.add(child);
      }
    }
  }

  private void leave(Resident child) {
    Resident parent = child.parent;
    child.parent = null;
    if (parent != null) {
      parent.children.remove(child);
      if (parent.children.isEmpty() && parent.aside) {
        parent.aside = false;
        policy.released(Objects.requireNonNull(parent.block));
      }
    }
  }

  /** Evicts one; returns its number. */
  private int evict() {
    while (true) {
      Entry offered = policy.victim(SimDemand.ONE_BLOCK);
      assertThat(offered).as("of %s", residents.keySet()).isNotNull();
      Resident victim =
          Objects.requireNonNull(residents.get(((SimEntry) Objects.requireNonNull(offered)).id));
      assertThat(victim.aside).isFalse();
      if (victim.children.isEmpty()) {
        remove(victim, RemovalCause.EVICTED);
        return victim.entry.id;
      }
      victim.aside = true;
      policy.refused(Objects.requireNonNull(victim.block));
    }
  }

  private void remove(Resident victim, RemovalCause cause) {
    residents.remove(victim.entry.id);
    victim.children.forEach(child -> child.parent = null);
    policy.removed(Objects.requireNonNull(victim.block), cause);
    leave(victim);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whateverOrderIsCorrectedAllCanBeEvicted(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      for (int i = 0; i < 1 + random.nextInt(25); i++) {
        List<Integer> ids = new ArrayList<>();
        for (int id = 0; id < 14; id++) {
          ids.add(id);
        }
        Collections.shuffle(ids, random);
        int length = 1 + random.nextInt(8);
        request(
            random.nextInt(9),
            random.nextInt(3) == 0 ? random.nextInt(length) : 0,
            ids.subList(0, length));
        if (random.nextInt(4) == 0) {
          evict();
        }
        Resident any = residents.get(random.nextInt(14));
        if (any != null && random.nextInt(6) == 0) {
          remove(any, RemovalCause.DELETED);
        }
      }
      while (!residents.isEmpty() && random.nextInt(20) > 0) {
        evict();
      }
      assertThat(policy.size()).isEqualTo(residents.size());
    }
    while (!residents.isEmpty()) {
      evict();
    }
    assertThat(policy.size()).isZero();
  }

  @Test
  void aRequestInAnUnknownOrderIsEvictedToItsEnd() {
    int chunks = 6;
    for (int i = 0; i < 20; i++) {
      List<Integer> ids = new ArrayList<>();
      for (int k = 0; k < chunks; k++) {
        ids.add(100 * i + k);
      }
      request(1, 0, ids);
    }
    List<Integer> evicted = new ArrayList<>();
    for (int i = 0; i < 5 * (chunks - 1) + 40; i++) {
      evicted.add(evict());
    }
    // Once its last block is gone, the others behind its known part follow directly.
    List<Integer> tail = evicted.subList(0, chunks - 1);
    assertThat(tail).allMatch(id -> id / 100 == tail.getFirst() / 100);
    Map<Integer, Integer> parts = new HashMap<>();
    for (int id : evicted) {
      parts.merge(id / 100, id % 100 == 0 ? 0 : 1, Integer::sum);
    }
    assertThat(parts.values().stream().filter(n -> n > 0 && n < chunks - 1).count())
        .isLessThanOrEqualTo(1);
  }

  @Test
  void blocksInAnUnknownOrderAreOneClass() {
    List<Integer> ids = new ArrayList<>();
    for (int id = 0; id < 40; id++) {
      ids.add(id);
    }
    request(2, 0, ids);
    List<Double> scores = new ArrayList<>();
    for (int id = 2; id < 40; id++) {
      scores.add(policy.score(block(id)));
    }
    assertThat(scores).allMatch(score -> score.equals(scores.getFirst()));
    assertThat(block(1).unordered).isFalse();
    assertThat(block(2).unordered).isTrue();
  }
}
