package dev.ebb.host.store.tile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order of lookups that a client cut into tiles. */
class TileOrderTest {

  private static final String ROW = "row";

  private final Map<Long, Long> sure = new HashMap<>();

  private final KnownOrder known =
      new KnownOrder() {
        @Override
        public boolean isSure(long key) {
          return sure.containsKey(key);
        }

        @Override
        public boolean isKnown(long key) {
          return sure.containsKey(key);
        }

        @Override
        public long before(long key) {
          return sure.getOrDefault(key, NONE);
        }
      };

  /** The tiles of a prompt, as LMCache's connector cuts it. */
  private static List<long[]> tiles(long[] prompt, int workers) {
    int count = Math.min(workers, prompt.length);
    int size = Math.ceilDiv(prompt.length, count);
    List<long[]> tiles = new ArrayList<>();
    for (int start = 0; start < prompt.length; start += size) {
      tiles.add(Arrays.copyOfRange(prompt, start, Math.min(start + size, prompt.length)));
    }
    return tiles;
  }

  private static long[] prompt(long first, int length) {
    return LongStream.range(first, first + length).toArray();
  }

  /** Sends tiles that start in a given order and advance at random, each on a connection. */
  private static LookupBatch send(List<long[]> tiles, long found, Random random) {
    LookupBatch batch = new LookupBatch("client");
    int[] next = new int[tiles.size()];
    List<Integer> started = new ArrayList<>();
    int waiting = 0;
    while (waiting < tiles.size() || !started.isEmpty()) {
      int tile;
      if (waiting < tiles.size() && (started.isEmpty() || random.nextInt(3) > 0)) {
        tile = waiting++;
        started.add(tile);
      } else {
        tile = started.get(random.nextInt(started.size()));
      }
      long key = tiles.get(tile)[next[tile]++];
      batch.add(tile, ROW, key, -key, key < found, 0);
      if (next[tile] == tiles.get(tile).length) {
        started.remove((Integer) tile);
      }
    }
    return batch;
  }

  @ParameterizedTest
  @CsvSource({"3 3 6 6, true", "3 3 3 3 3 2, true", "2 3 1 4 2 3 1 2, false"})
  void aFastConnectionTakesSeveralWholeTiles(String lookups, boolean inTiles) {
    LookupBatch batch = new LookupBatch("client");
    long key = 0;
    for (String connection : lookups.split(" ")) {
      Object sender = new Object();
      for (int i = 0; i < Integer.parseInt(connection); i++) {
        batch.add(sender, ROW, ++key, -key, false, 0);
      }
    }
    assertThat(batch.isInTiles(8)).isEqualTo(inTiles);
  }

  private static long[] keys(LookupBatch batch, TiledPrompt prompt) {
    return prompt.indexes().intStream().mapToLong(batch::low).toArray();
  }

  @Test
  void aTileThatIsShorterThanTheOthersIsTheLastOneWhateverStartsFirst() {
    long[] prompt = prompt(100, 22);
    List<long[]> tiles = tiles(prompt, 8);
    tiles.addFirst(tiles.removeLast());

    LookupBatch batch = send(tiles, 0, new Random(1));

    assertThat(TileOrder.prompts(batch, ROW, known, 8))
        .singleElement()
        .satisfies(ordered -> assertThat(keys(batch, ordered)).containsExactly(prompt));
  }

  @Test
  void withoutAShorterTileTheFirstToStartIsTheFirst() {
    List<long[]> tiles = tiles(prompt(100, 24), 8);
    tiles.addFirst(tiles.removeLast());

    LookupBatch batch = send(tiles, 0, new Random(1));

    assertThat(TileOrder.prompts(batch, ROW, known, 8))
        .singleElement()
        .satisfies(ordered -> assertThat(keys(batch, ordered)).startsWith(121, 122, 123, 100));
  }

  @ParameterizedTest
  @CsvSource({"1, 8", "5, 8", "8, 8", "9, 8", "17, 8", "100, 8", "247, 8", "30, 1", "30, 3"})
  void tilesThatStartInOrderAreAPrompt(int length, int workers) {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      long[] prompt = prompt(100, length);
      LookupBatch batch = send(tiles(prompt, workers), 100 + random.nextInt(length + 1), random);

      List<TiledPrompt> prompts = TileOrder.prompts(batch, ROW, known, workers);

      assertThat(prompts).as("seed %d", seed).hasSize(1);
      assertThat(keys(batch, prompts.getFirst())).as("seed %d", seed).isEqualTo(prompt);
    }
  }

  @Test
  void tilesThatStartInAnyOrderStayWholeAndFollowThoseFound() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int length = 2 + random.nextInt(60);
      long found = 100 + random.nextInt(length);
      List<long[]> tiles = tiles(prompt(100, length), 8);
      List<long[]> shuffled = new ArrayList<>(tiles);
      Collections.shuffle(shuffled, random);
      LookupBatch batch = send(shuffled, found, random);

      TiledPrompt ordered = TileOrder.prompts(batch, ROW, known, 8).getFirst();

      long[] keys = keys(batch, ordered);
      assertThat(Arrays.stream(keys).sorted().toArray()).isEqualTo(prompt(100, length));
      long leading = Arrays.stream(keys).takeWhile(key -> key < found).count();
      long partly =
          tiles.stream()
              .filter(tile -> tile[0] < found && tile[tile.length - 1] >= found)
              .mapToLong(tile -> Arrays.stream(tile).filter(key -> key < found).count())
              .sum();
      assertThat(leading).as("seed %d", seed).isEqualTo(found - 100);
      assertThat(partly).isLessThanOrEqualTo(leading);
      for (int i = 1; i < keys.length; i++) {
        assertThat(keys[i] == keys[i - 1] + 1 || ordered.assumed().get(i))
            .as("seed %d: a place inside a tile is never assumed to be another", seed)
            .isTrue();
      }
    }
  }

  @Test
  void whatIsSureGoesBeforeTheStartOfTiles() {
    Random random = new Random(1);
    long[] prompt = prompt(100, 16);
    List<long[]> tiles = new ArrayList<>(tiles(prompt, 8));
    Collections.reverse(tiles);
    for (int i = 1; i < prompt.length; i++) {
      sure.put(prompt[i], prompt[i - 1]);
    }
    sure.put(prompt[0], KnownOrder.NONE);
    LookupBatch batch = send(tiles, 0, random);

    assertThat(keys(batch, TileOrder.prompts(batch, ROW, known, 8).getFirst())).isEqualTo(prompt);
  }

  @Test
  void aKnownFrontBeginsAPromptOfItsOwn() {
    sure.put(100L, KnownOrder.NONE);
    sure.put(200L, KnownOrder.NONE);
    LookupBatch batch = new LookupBatch("client");
    long[] both = {100, 101, 102, 200, 201};
    for (long key : both) {
      batch.add("connection", ROW, key, -key, key == 100 || key == 200, 0);
    }

    List<TiledPrompt> prompts = TileOrder.prompts(batch, ROW, known, 1);

    assertThat(prompts.stream().map(each -> keys(batch, each)))
        .containsExactly(new long[] {100, 101, 102}, new long[] {200, 201});
  }

  @Test
  void eachRowHasAnOrderOfItsOwn() {
    LookupBatch batch = new LookupBatch("client");
    for (long key = 1; key <= 4; key++) {
      batch.add("connection", "attention", key, -key, false, 0);
      batch.add("connection", "state", 10 + key, -key, false, 0);
    }

    assertThat(batch.rows()).containsExactly("attention", "state");
    assertThat(keys(batch, TileOrder.prompts(batch, "state", known, 1).getFirst()))
        .containsExactly(11, 12, 13, 14);
  }
}
