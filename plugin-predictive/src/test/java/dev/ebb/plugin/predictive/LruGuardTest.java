package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.testkit.TestRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LruGuardTest {

  private static final int CAPACITY = 40;
  private static final double DECAY = 0.999;

  private LruGuard guard = new LruGuard(CAPACITY, DECAY, 0.01);
  private final RunningRequest running = new RunningRequest();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aCacheInTheOrderOfLastUseIsNeitherBehindNorAhead(long seed) {
    Random random = new Random(seed);
    List<Long> coldestFirst = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      long[] chain = chain(random.nextInt(12), 1 + random.nextInt(8));
      int matched = 0;
      while (matched < chain.length && coldestFirst.contains(chain[matched])) {
        matched++;
      }
      began(matched, coldestFirst.size(), chain);
      for (int block = chain.length - 1; block >= 0; block--) {
        coldestFirst.remove(chain[block]);
        coldestFirst.add(chain[block]);
      }
      while (coldestFirst.size() > CAPACITY) {
        guard.removed(coldestFirst.removeFirst(), true);
      }
      assertThat(guard.behind()).isZero();
    }
  }

  @Test
  void aCacheThatIsBehindFollowsLruForTwiceAsManyRequestsEachTime() {
    guard.removed(-1, true);
    began(400, CAPACITY, chain(9, 400)); // so that there is something to gain
    List<Integer> periods = new ArrayList<>();
    for (int i = 0, period = 0; periods.size() < 4 && i < 10_000; i++) {
      began(0, CAPACITY, chain(i % 4, 4));
      if (period > 0 && !guard.followsLru()) {
        periods.add(period);
      }
      period = guard.followsLru() ? period + 1 : 0;
    }
    assertThat(periods).containsExactly(100, 200, 400, 800);
  }

  @Test
  void aCacheThatIsAheadIsTrustedAgain() {
    guard.removed(-1, true);
    for (int i = 0; i < 200; i++) {
      began(0, CAPACITY, chain(i % 4, 4));
    }
    for (int i = 0; i < 2000; i++) {
      began(4, CAPACITY, chain(10 + i % 50, 4));
    }
    assertThat(guard.followsLru()).isFalse();
    assertThat(guard.behind()).isLessThan(-1000);
  }

  @Test
  void aCacheThatHasNothingToGainFollowsLru() {
    guard.removed(-1, true);
    for (int i = 0; i < 16 * CAPACITY; i++) {
      began(i < CAPACITY ? 0 : 1, CAPACITY, chain(i % CAPACITY, 1));
    }
    assertThat(guard.followsLru()).as("it has not seen enough").isFalse();
    for (int i = 0; i < 16 * CAPACITY; i++) {
      began(1, CAPACITY, chain(i % CAPACITY, 1));
    }
    assertThat(guard.followsLru()).as("LRU lacks no known block").isTrue();
    began(8, CAPACITY, chain(CAPACITY, 8));
    assertThat(guard.followsLru()).as("LRU lacks eight").isFalse();
  }

  @Test
  void onlyWhatWasEvictedIsStillExpected() {
    guard = new LruGuard(CAPACITY, DECAY, 1);
    long[] chain = chain(1, 4);
    began(0, 0, chain);
    guard.removed(chain[3], false);
    began(3, 4, chain);
    assertThat(guard.behind()).as("a deleted block is no loss").isZero();
    began(3, 4, chain);
    assertThat(guard.behind()).as("it was stored again").isEqualTo(1);
  }

  private void began(int matched, int residents, long... chain) {
    running.start(TestRequest.of(chain).matched(matched));
    guard.began(running, residents);
    running.stop();
  }

  private static long[] chain(int prompt, int blocks) {
    return LongStream.range(0, blocks).map(block -> 1000L * prompt + block + 1).toArray();
  }
}
