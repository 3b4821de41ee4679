package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.testkit.TestRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingBlocksTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void holdsWhatAMapHolds(long seed) {
    Random random = new Random(seed);
    int capacity = 1 + random.nextInt(600);
    WaitingBlocks waiting = new WaitingBlocks(capacity);
    for (int i = 0; i < 200; i++) {
      TestRequest[] queue = new TestRequest[random.nextInt(40)];
      Map<Long, Integer> expected = new HashMap<>();
      for (int place = 0; place < queue.length; place++) {
        long[] chain = chain(random);
        queue[place] = TestRequest.of(chain);
        for (long fingerprint : chain) {
          if (expected.size() < capacity) {
            expected.putIfAbsent(fingerprint, place);
          }
        }
      }

      waiting.began(TestRequest.of(1).waitingBehind(queue));

      assertThat(waiting.size()).isEqualTo(expected.size());
      assertThat(waiting.isEmpty()).isEqualTo(expected.isEmpty());
      for (long fingerprint = 0; fingerprint < 1500; fingerprint++) {
        assertThat(waiting.place(fingerprint))
            .isEqualTo(expected.getOrDefault(fingerprint, WaitingBlocks.NOT_NEEDED));
      }
    }
  }

  @Test
  void fingerprintsWithTheSameHashAreKeptApart() {
    long[] chain = new long[100];
    for (int i = 0; i < chain.length; i++) {
      // A multiple of the multiplier's inverse, so that all have one hash.
      chain[i] = i * 0xF1DE83E19937733DL;
    }
    WaitingBlocks waiting = new WaitingBlocks(1000);
    waiting.began(TestRequest.of(1).waitingBehind(TestRequest.of(chain)));
    assertThat(waiting.size()).isEqualTo(100);
    for (long fingerprint : chain) {
      assertThat(waiting.place(fingerprint)).isZero();
    }
    assertThat(waiting.place(-chain[1])).isEqualTo(WaitingBlocks.NOT_NEEDED);
  }

  private static long[] chain(Random random) {
    long[] chain = new long[1 + random.nextInt(30)];
    long first = random.nextInt(20) * 50L;
    for (int i = 0; i < chain.length; i++) {
      chain[i] = first + i;
    }
    return chain;
  }
}
