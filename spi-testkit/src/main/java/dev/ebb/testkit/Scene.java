package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One new policy with its referee, and the small steps of which scripts consist. */
final class Scene {

  final TestClock clock;
  final Referee referee;
  final SplittableRandom random;

  private final TestDemand demand = TestDemand.of(1);

  private Scene(TestClock clock, Referee referee, SplittableRandom random) {
    this.clock = clock;
    this.referee = referee;
    this.random = random;
  }

  static Scene open(
      BlockPolicyProvider provider, CheckSettings settings, long capacity, long seed) {
    TestContext context = settings.context(capacity, seed);
    Referee referee = new Referee(Calls.create(provider::create, context), context);
    return new Scene(context.clock(), referee, new SplittableRandom(seed));
  }

  /** Returns a new entry. */
  TestEntry entry() {
    return TestEntry.of(random.nextLong());
  }

  List<Held> insert(int count) {
    return IntStream.range(0, count).mapToObj(i -> referee.insert(entry())).toList();
  }

  @Nullable Held offer() {
    return referee.offer(demand, held -> true);
  }

  /** Refuses up to a number of offers, and returns those refused. */
  List<Held> refuse(int count) {
    List<Held> refused = new ArrayList<>();
    for (Held offered = null; refused.size() < count; refused.add(offered)) {
      offered = offer();
      if (offered == null) {
        break;
      }
      referee.refuse(offered);
    }
    return refused;
  }

  /** Evicts until nothing is offered; the referee checks that nothing is left. */
  void drain() {
    for (Held offered = offer(); offered != null; offered = offer()) {
      referee.remove(offered, RemovalCause.EVICTED);
    }
  }

  /** Returns some of the entries held, in random order. */
  List<Held> some(int count) {
    List<Held> all = new ArrayList<>(referee.held());
    Collections.shuffle(all, random);
    return all.subList(0, Math.min(count, all.size()));
  }
}
