package dev.ebb.host.cache.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PromptStartsTest {

  private final PromptStarts starts = new PromptStarts();

  private static CacheRequest prompt(long... keys) {
    CacheRequest prompt = new CacheRequest();
    prompt.reset(RequestFacts.UNKNOWN, -1);
    for (long key : keys) {
      prompt.add(key);
    }
    return prompt;
  }

  /** Prompts that all begin with the chunks 1 and 2; one in four goes on with 3. */
  private void see(int prompts) {
    Random random = new Random(1);
    for (int i = 0; i < prompts; i++) {
      starts.saw(prompt(1, 2, i % 4 == 0 ? 3 : random.nextLong(), random.nextLong()));
    }
  }

  @Test
  void aPromptIsIdentifiedByItsFirstChunkThatFewShare() {
    assertThat(starts.identity(prompt(1, 2, 3, 9))).isEqualTo(1);
    see(255);
    assertThat(starts.changes()).isZero();
    see(1);
    assertThat(starts.changes()).isOne();
    assertThat(starts.identity(prompt(1, 2, 3, 9))).isEqualTo(9);
    assertThat(starts.identity(prompt(1, 2, 3, 9, 10))).as("it has grown").isEqualTo(9);
    assertThat(starts.identity(prompt(1, 2, 8, 9))).isEqualTo(8);
    assertThat(starts.identity(prompt(1, 2))).as("there is no other").isEqualTo(2);
    assertThat(starts.isShared(3)).isTrue();
    assertThat(starts.isShared(8)).isFalse();
    see(2 * 512);
    assertThat(starts.changes()).as("nothing new is shared").isOne();
  }

  @Test
  void aStartThatIsLongerThanWhatIsCountedIsFoundBitByBit() {
    long[] keys = new long[50];
    for (int i = 0; i < 49; i++) {
      keys[i] = i + 1;
    }
    for (int i = 0; i < 256 + 512; i++) {
      keys[49] = 1_000 + i;
      starts.saw(prompt(keys));
    }
    assertThat(starts.changes()).isEqualTo(2);
    assertThat(starts.identity(prompt(keys))).isEqualTo(keys[49]);
  }

  @Test
  void aResidentChunkBelongsToTheSamePrompt() {
    see(256);
    InlineBlockCache cache = new InlineBlockCache(100, () -> 0, new GhostWindow(1), OnFault.FAIL);
    CacheRequest request = prompt(1, 2, 8, 9, 10);
    cache.begin(request);
    cache.admit(request);
    cache.finish(request);
    for (long key : new long[] {8, 9, 10}) {
      CacheEntry entry = cache.find(key);
      assertThat(entry).isNotNull();
      assertThat(starts.identity(entry)).isEqualTo(8);
    }
    assertThat(starts.identity(cache.find(2))).isEqualTo(2);
    cache.close();
  }
}
