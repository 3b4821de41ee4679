package dev.ebb.spi.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Drives a policy and a naive one through the same random life (requests, refusals, releases,
 * deletions, changes of capacity) and demands that they agree after every step.
 *
 * @param <A> the tested policy's node
 * @param <B> the naive policy's node
 */
public final class Lockstep<A, B> {

  private static final RemovalCause[] FOR_CAPACITY = {
    RemovalCause.EVICTED, RemovalCause.DEMOTED, RemovalCause.NOT_ADMITTED
  };
  private static final RemovalCause[] UNASKED = {
    RemovalCause.EXPIRED, RemovalCause.DELETED, RemovalCause.REPLACED, RemovalCause.MIGRATED
  };

  /** Multiplied by the factor of all random histories of tests. */
  private static final int STEPS = 1_500 * Integer.getInteger("ebb.test.histories", 1);

  private final BlockPolicy<A> tested;
  private final BlockPolicy<B> naive;
  private final Random random;

  /** Apart from the steps, so that a new attribute does not change them. */
  private final Random attributes;

  /** For what requests say of themselves. */
  private final Random ends;

  private final int blocksEach;
  private final SimRequest request = new SimRequest();
  private final List<Resident<A, B>> residents = new ArrayList<>();
  private final Map<Integer, Resident<A, B>> byId = new HashMap<>();
  private long capacity;
  private long tick;

  private static final class Resident<A, B> {
    private final SimEntry entry;
    private final A tested;
    private final B naive;
    private boolean pinned;
    private boolean aside;

    private Resident(SimEntry entry, A tested, B naive) {
      this.entry = entry;
      this.tested = tested;
      this.naive = naive;
    }

    @Override
    public String toString() {
      return entry.toString();
    }
  }

  private Lockstep(
      BlockPolicy<A> tested, BlockPolicy<B> naive, long seed, long capacity, int blocksEach) {
    this.tested = tested;
    this.naive = naive;
    this.random = new Random(seed);
    this.attributes = new Random(~seed);
    this.ends = new Random(~seed);
    this.capacity = capacity;
    this.blocksEach = blocksEach;
  }

  /**
   * Runs many steps.
   *
   * @param seed of all choices; named by every failure
   * @param capacity the capacity both were made with, in blocks
   * @param blocksEach the size of every entry, in blocks
   */
  public static <A, B> void run(
      BlockPolicy<A> tested, BlockPolicy<B> naive, long seed, long capacity, int blocksEach) {
    Lockstep<A, B> run = new Lockstep<>(tested, naive, seed, capacity, blocksEach);
    for (int step = 0; step < STEPS; step++) {
      try {
        run.step(step);
        run.compare();
      } catch (RuntimeException | AssertionError failed) {
        throw new AssertionError("seed " + seed + ", step " + step, failed);
      }
    }
  }

  private void step(int step) {
    int choice = step < capacity / 4 ? 100 : random.nextInt(100);
    if (choice == 100) {
      handOver(step);
    } else if (choice < 70) {
      serve();
    } else if (choice < 85) {
      release();
    } else if (choice < 94) {
      if (!residents.isEmpty()) {
        remove(residents.get(random.nextInt(residents.size())), any(UNASKED));
      }
    } else if (choice < 99) {
      evict(random.nextInt(4));
    } else {
      capacity = Math.max(4L * blocksEach, capacity + (random.nextInt(9) - 4L) * blocksEach);
      tested.resized(capacity);
      naive.resized(capacity);
    }
  }

  private void handOver(int id) {
    if (find(id) != null) {
      return;
    }
    SimEntry entry = new SimEntry(id);
    entry.insert(++tick);
    entry.origin = Origin.HANDED_OVER;
    entry.accesses = 1 + random.nextInt(4);
    describe(entry, id % 3, 3);
    admit(entry);
  }

  private void serve() {
    int[] ids =
        random
            .ints(1 + random.nextInt(4), 0, (int) (3 * capacity / blocksEach))
            .map(id -> random.nextBoolean() ? id : id / 4)
            .distinct()
            .toArray();
    Deque<Resident<A, B>> matched = new ArrayDeque<>();
    Resident<A, B> next = find(ids[0]);
    while (next != null) {
      next.pinned = true;
      matched.addFirst(next);
      next = matched.size() < ids.length ? find(ids[matched.size()]) : null;
    }
    int end = matched.size();
    while (end < ids.length && find(ids[end]) == null) {
      end++;
    }
    SimRequest served = new SimRequest(Arrays.copyOf(ids, end));
    served.sequenceId = ends.nextInt(8) - 1L;
    served.hint = ends.nextInt(3);
    served.finishReason = ends.nextBoolean() ? "tool_calls" : null;
    tested.began(request.become(served, matched.size()));
    naive.began(request);
    evict(end - matched.size());
    for (int i = end - 1; i >= matched.size() && has(1); i--) {
      SimEntry entry = new SimEntry(ids[i]);
      entry.insert(++tick);
      describe(entry, i, end);
      admit(entry);
    }
    int depth = matched.size();
    for (Resident<A, B> resident : matched) {
      resident.entry.touch(++tick);
      describe(resident.entry, --depth, end);
      resident.entry.priority = random.nextInt(3);
      tested.accessed(resident.tested);
      naive.accessed(resident.naive);
      resident.pinned = false;
    }
    tested.ended(request);
    naive.ended(request);
  }

  /** Sets what an entry reports of its last use. */
  private void describe(SimEntry entry, int depth, int length) {
    entry.depth = depth;
    entry.sequenceLength = attributes.nextInt(8) == 0 ? -1 : length * 16L - attributes.nextInt(16);
    entry.lastAccessNanos = tick * 1_000_000_000L;
    entry.workload = List.of("chat", "agent", "api").get(attributes.nextInt(3));
    entry.turn = attributes.nextInt(4) - 1;
    entry.hint = attributes.nextInt(2);
    entry.lifetimeHintNanos = List.of(-1L, 4_000_000_000L, 30_000_000_000L).get(ends.nextInt(3));
    entry.retention = List.of(0, 0, 40, 90, -1).get(ends.nextInt(5));
    entry.retainedUntilNanos =
        List.of(
                entry.lastAccessNanos - 1,
                entry.lastAccessNanos + 4_000_000_000L,
                entry.lastAccessNanos + 30_000_000_000L,
                Long.MAX_VALUE)
            .get(ends.nextInt(4));
  }

  private boolean has(int wanted) {
    return (residents.size() + wanted) * (long) blocksEach <= capacity;
  }

  private void admit(SimEntry entry) {
    entry.blocks = blocksEach;
    entry.priority = random.nextInt(3);
    Resident<A, B> resident = new Resident<>(entry, tested.inserted(entry), naive.inserted(entry));
    residents.add(resident);
    byId.put(entry.id, resident);
  }

  private void evict(int wanted) {
    while (!has(wanted)) {
      Entry victim = tested.victim(SimDemand.ONE_BLOCK);
      assertThat(victim).as("victim").isSameAs(naive.victim(SimDemand.ONE_BLOCK));
      if (!(victim instanceof SimEntry offered)) {
        assertThat(residents).as("residents although none is offered").allMatch(r -> r.aside);
        return;
      }
      Resident<A, B> resident = find(offered.id);
      assertThat(resident).as("the offered resident").isNotNull();
      assertThat(resident.aside).as("set aside").isFalse();
      if (resident.pinned || random.nextInt(3) == 0) {
        resident.aside = true;
        tested.refused(resident.tested);
        naive.refused(resident.naive);
      } else {
        remove(resident, any(FOR_CAPACITY));
      }
    }
  }

  private void release() {
    List<Resident<A, B>> aside = residents.stream().filter(r -> r.aside).toList();
    for (int i = random.nextInt(4); i > 0 && !aside.isEmpty(); i--) {
      Resident<A, B> resident = aside.get(random.nextInt(aside.size()));
      if (resident.aside) {
        resident.aside = false;
        tested.released(resident.tested);
        naive.released(resident.naive);
      }
    }
  }

  private void remove(Resident<A, B> resident, RemovalCause cause) {
    residents.remove(resident);
    byId.remove(resident.entry.id);
    tested.removed(resident.tested, cause);
    naive.removed(resident.naive, cause);
  }

  private void compare() {
    if (tested.size() != residents.size()) {
      assertThat(tested.size()).as("size").isEqualTo(residents.size());
    }
    Map<String, Double> gauges = tested.gauges();
    Map<String, Double> expectedGauges = naive.gauges();
    if (!gauges.entrySet().containsAll(expectedGauges.entrySet())) {
      assertThat(gauges).as("gauges").containsAllEntriesOf(expectedGauges);
    }
    for (Resident<A, B> resident : residents) {
      double expected = naive.score(resident.naive);
      if (!Double.isNaN(expected) && tested.score(resident.tested) != expected) {
        assertThat(tested.score(resident.tested)).as("score of %s", resident).isEqualTo(expected);
      }
    }
    if (!residents.isEmpty()) {
      Resident<A, B> one = residents.get(random.nextInt(residents.size()));
      String expected = one.aside ? "set aside" : " ";
      String explanation = tested.explain(one.tested);
      if (!explanation.contains(expected)) {
        assertThat(explanation).contains(expected);
      }
    }
  }

  private @Nullable Resident<A, B> find(int id) {
    return byId.get(id);
  }

  private RemovalCause any(RemovalCause[] causes) {
    return causes[random.nextInt(causes.length)];
  }
}
