package dev.ebb.host.kvevents.tokens;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenTableTest {

  private static TokenBlock block(long id, long parent, int... tokens) {
    return new TokenBlock(id, parent == 0, parent, tokens, "", "", new byte[0]);
  }

  /** A block is what was put last, or forgotten; what was used last is there. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aRandomHistoryAgreesWithAMap(long seed) {
    Random random = new Random(seed);
    Map<Long, TokenBlock> expected = new HashMap<>();
    try (TokenTable table = new TokenTable(1 << 14, 0)) {
      int forgotten = 0;
      for (int i = 0; i < 50_000; i++) {
        long id = 1 + random.nextInt(300);
        if (random.nextBoolean()) {
          TokenBlock next =
              new TokenBlock(
                  id,
                  random.nextInt(4) == 0,
                  random.nextInt(300),
                  random.ints(1 + random.nextInt(40)).toArray(),
                  "a".repeat(random.nextInt(9)),
                  "",
                  new byte[random.nextInt(5)]);
          assertThat(table.put(next)).isTrue();
          expected.put(id, next);
          same(requireNonNull(table.find(id)).block(), next);
        } else {
          TokenBlock.Placed found = table.find(id);
          if (found == null) {
            forgotten += expected.remove(id) == null ? 0 : 1;
          } else {
            same(found.block(), requireNonNull(expected.get(id), "seed " + seed));
            same(requireNonNull(table.find(id)).block(), found.block());
          }
        }
        assertThat(table.bytes()).isLessThanOrEqualTo(1 << 14);
      }
      assertThat(forgotten).isGreaterThan(1_000);
      assertThat(table.size()).isBetween(20, 299);
    }
  }

  private static void same(TokenBlock found, TokenBlock expected) {
    assertThat(found.first()).isEqualTo(expected.first());
    assertThat(found.parent()).isEqualTo(expected.parent());
    assertThat(found.tokens()).isEqualTo(expected.tokens());
    assertThat(found.adapter()).isEqualTo(expected.adapter());
    assertThat(found.extraKeys()).isEqualTo(expected.extraKeys());
  }

  @Test
  void aBlockThatIsUsedOutlivesOthers() {
    try (TokenTable table = new TokenTable(1 << 14, 0)) {
      table.put(block(1, 0, 7, 8, 9));
      for (long id = 2; id < 10_000; id++) {
        table.put(block(id, 0, 1, 2, 3));
        assertThat(requireNonNull(table.find(1)).block().tokens()).containsExactly(7, 8, 9);
      }
      assertThat(table.find(2)).isNull();
    }
  }

  @Test
  void aBlockThatIsTooLargeIsRefused() {
    try (TokenTable table = new TokenTable(1 << 20, 0)) {
      assertThat(table.put(block(1, 0, new int[TokenTable.MOST_TOKENS + 1]))).isFalse();
      TokenBlock longName =
          new TokenBlock(1, true, 0, new int[1], "x".repeat(5_000), "", new byte[0]);
      assertThat(table.put(longName)).isFalse();
      assertThat(table.find(1)).isNull();
    }
    try (TokenTable tiny = new TokenTable(1, 0)) {
      assertThat(tiny.put(block(1, 0, 1))).isFalse();
    }
  }

  /** The numbers are those of Python's xxhash, by the definitions of Dynamo. */
  @Test
  void routersNameBlocksByXxh3() {
    int[] tokens = new int[32];
    for (int i = 0; i < 16; i++) {
      tokens[i] = 100 + i;
      tokens[16 + i] = 200 + i;
    }
    long first = RouterHashes.block(tokens, 0, 16, RouterHashes.seed("", ""));
    long second = RouterHashes.block(tokens, 16, 16, RouterHashes.seed("", ""));
    assertThat(first).isEqualTo(0x9633b31c7a2562c7L);
    assertThat(second).isEqualTo(0x51043647f54d17edL);
    assertThat(RouterHashes.next(first, second)).isEqualTo(0x19b1645f2efa62bcL);
    assertThat(RouterHashes.seed("sql", "größe")).isEqualTo(0x1fc7badb1263f7ebL);
    assertThat(RouterHashes.block(tokens, 0, 16, RouterHashes.seed("sql", "größe")))
        .isEqualTo(0x3551af44ef1e5c53L);
  }

  @Test
  void theChainGoesOnWhereTheParentEnds() {
    try (TokenTable table = new TokenTable(1 << 14, 2)) {
      table.put(block(2, 1, 5, 6, 7, 8));
      assertThat(requireNonNull(table.find(2)).chained()).isFalse();
      table.put(block(1, 0, 1, 2, 3, 4));
      table.put(block(2, 1, 5, 6, 7, 8));
      TokenBlock.Placed second = requireNonNull(table.find(2));
      assertThat(second.chained()).isTrue();
      long seed = RouterHashes.seed("", "");
      int[] tokens = {1, 2, 3, 4};
      assertThat(second.before())
          .isEqualTo(
              RouterHashes.next(
                  RouterHashes.block(tokens, 0, 2, seed), RouterHashes.block(tokens, 2, 2, seed)));
    }
  }

  @Test
  void aBlockHasTheSaltOfItsPrompt() {
    try (TokenTable table = new TokenTable(1 << 14, 0)) {
      table.put(new TokenBlock(1, true, 0, new int[] {1}, "", "tenant", new byte[0]));
      table.put(block(2, 1, 2));
      assertThat(requireNonNull(table.find(2)).block().salt()).isEqualTo("tenant");
    }
  }
}
