package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two threads make a few calls each on the same small pool at the same moment. Whatever they are
 * answered, and whatever the pool is like afterwards, must be what one thread sees that makes all
 * calls in some order.
 */
class KvPoolRacesTest {

  private static final int BATCH = 100;
  private static final int MOST_SPINS = 8;

  /** What both threads were answered, and what was left. */
  private record Outcome(List<Object> first, List<Object> second, List<Object> state) {}

  @Test
  void callsOfTwoThreadsHaveAnOrder() throws Exception {
    race(1);
  }

  @Test
  @Tag("stress")
  void callsOfTwoThreadsHaveAnOrderALongTime() throws Exception {
    race(250);
  }

  private static void race(int batches) throws Exception {
    List<String> names = List.copyOf(PoolCalls.programs().keySet());
    Random random = new Random(1);
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      for (int batch = 0; batch < batches; batch++) {
        for (int first = 0; first < names.size(); first++) {
          for (int second = first; second < names.size(); second++) {
            race(names.get(first), names.get(second), random, other);
          }
        }
      }
    }
  }

  private static void race(String first, String second, Random random, ExecutorService other)
      throws Exception {
    // Programs keep something between their calls, so each thread has its own.
    List<PoolCalls.Call> mine = program(first);
    List<PoolCalls.Call> theirs = program(second);
    Set<Outcome> possible = new HashSet<>();
    interleave(mine, theirs, new ArrayList<>(), possible);
    List<PoolCalls> pools = new ArrayList<>();
    int[] mySpins = new int[BATCH];
    int[] theirSpins = new int[BATCH];
    for (int i = 0; i < BATCH; i++) {
      pools.add(PoolCalls.fresh());
      mySpins[i] = random.nextInt(MOST_SPINS);
      theirSpins[i] = random.nextInt(MOST_SPINS);
    }
    AtomicInteger arrived = new AtomicInteger();
    Future<List<List<Object>>> running =
        other.submit(() -> make(theirs, pools, theirSpins, arrived));
    List<List<Object>> answers = make(mine, pools, mySpins, arrived);
    for (int i = 0; i < BATCH; i++) {
      Outcome seen = new Outcome(answers.get(i), running.get().get(i), pools.get(i).state());
      if (!possible.contains(seen)) {
        assertThat(possible).as("'%s' beside '%s'", first, second).contains(seen);
      }
    }
  }

  private static List<List<Object>> make(
      List<PoolCalls.Call> program, List<PoolCalls> pools, int[] spins, AtomicInteger arrived) {
    List<List<Object>> answers = new ArrayList<>();
    for (int i = 0; i < pools.size(); i++) {
      List<Object> answer = new ArrayList<>(program.size());
      meet(arrived, 2 * (i + 1));
      for (int spin = spins[i]; spin > 0; spin--) {
        Thread.onSpinWait();
      }
      for (PoolCalls.Call call : program) {
        answer.add(pools.get(i).make(call));
      }
      answers.add(answer);
    }
    return answers;
  }

  /** Both go on at the same moment, as far as that is possible. */
  private static void meet(AtomicInteger arrived, int both) {
    arrived.incrementAndGet();
    for (int spins = 0; arrived.get() < both; spins++) {
      if (spins > 1_000_000) {
        throw new AssertionError("the other thread did not arrive");
      }
      if (spins > 1_000) {
        // The other thread has no processor: leave it this one.
        LockSupport.parkNanos(1);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /** Makes the calls in every order that keeps each thread's own, each time on a fresh pool. */
  private static void interleave(
      List<PoolCalls.Call> first,
      List<PoolCalls.Call> second,
      List<Boolean> order,
      Set<Outcome> possible) {
    int mine = (int) order.stream().filter(turn -> turn).count();
    int theirs = order.size() - mine;
    if (mine == first.size() && theirs == second.size()) {
      possible.add(inOrder(first, second, order));
    }
    for (boolean turn : new boolean[] {true, false}) {
      if (turn ? mine < first.size() : theirs < second.size()) {
        List<Boolean> longer = new ArrayList<>(order);
        longer.add(turn);
        interleave(first, second, longer, possible);
      }
    }
  }

  private static Outcome inOrder(
      List<PoolCalls.Call> first, List<PoolCalls.Call> second, List<Boolean> order) {
    PoolCalls pool = PoolCalls.fresh();
    Outcome outcome = new Outcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (boolean turn : order) {
      List<Object> answers = turn ? outcome.first() : outcome.second();
      answers.add(pool.make((turn ? first : second).get(answers.size())));
    }
    outcome.state().addAll(pool.state());
    return outcome;
  }

  private static List<PoolCalls.Call> program(String name) {
    return Map.copyOf(PoolCalls.programs()).getOrDefault(name, List.of());
  }
}
