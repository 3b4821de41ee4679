package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.value.StoredValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The chains of LMCache servers in multiprocess mode, by clients that know them. */
class TiledClientsTest {

  private static final int PROMPTS = 1_500;

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();

  /** The chunk before each one; an empty text for the first of a prompt. */
  private final Map<String, String> before = new HashMap<>();

  private ObjectStore store;

  @BeforeEach
  void open() {
    store = store(600);
  }

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  private ObjectStore store(int chunks) {
    StoreOptions options = StoreOptions.of((long) chunks << 10, Duration.ofHours(9), 7);
    return new ObjectStore(
        device, options.chains(ChainKeys.AUTO).lookupLease(Duration.ofSeconds(5)), clock);
  }

  /** Conversations that grow by a few chunks with each turn, and share their first chunk. */
  private final class Conversations {
    private final Random random;
    private final List<List<String>> running = new ArrayList<>();
    private int chunks;

    private Conversations(long seed) {
      random = new Random(seed);
    }

    private List<String> next() {
      if (running.size() < 20 || random.nextInt(4) == 0) {
        running.add(new ArrayList<>(List.of(key("m", 0))));
        before.put(key("m", 0), "");
      }
      if (running.size() > 25) {
        running.removeFirst();
      }
      List<String> prompt = running.get(random.nextInt(running.size()));
      for (int i = 1 + random.nextInt(12); i > 0; i--) {
        String chunk = key("m", ++chunks);
        before.put(chunk, prompt.getLast());
        prompt.add(chunk);
      }
      return List.copyOf(prompt);
    }
  }

  private static String key(String model, int chunk) {
    return model + "@01000100@0@" + HexFormat.of().toHexDigits(chunk);
  }

  private void run(List<LmcacheServer> servers, long seed) {
    Conversations conversations = new Conversations(seed);
    for (int i = 0; i < PROMPTS; i += servers.size()) {
      List<List<Runnable>> phases =
          servers.stream().map(server -> server.begin(conversations.next())).toList();
      for (int phase = 0; phase < 4; phase++) {
        for (List<Runnable> each : phases) {
          each.get(phase).run();
        }
      }
      clock.millis += 100;
      store.parts().getFirst().sweep(100);
    }
  }

  /** Returns the share of the resident chunks whose parent is the chunk before them. */
  private double linked() {
    StorePartition part = store.parts().getFirst();
    int[] counts = new int[2];
    part.place.locked(() ->
        part.values.each(
            0,
            part.values.slots(),
            value -> {
              String parent = Links.parent(value) == null ? "" : text(Links.parent(value));
              counts[0]++;
              counts[1] += before.getOrDefault(text(value), "?").equals(parent) ? 1 : 0;
            }));
    return (double) counts[1] / counts[0];
  }

  private static String text(StoredValue value) {
    return new String(value.key.bytes(), StandardCharsets.US_ASCII);
  }

  /** Returns the share of the resident chunks that no prompt can use. */
  private double unreachable() {
    int resident = 0;
    int unreachable = 0;
    for (String chunk : before.keySet()) {
      if (store.length(StoreClient.bytes(chunk)) >= 0) {
        resident++;
        String on = chunk;
        while (!on.isEmpty() && store.length(StoreClient.bytes(on)) >= 0) {
          on = before.getOrDefault(on, "");
        }
        unreachable += on.isEmpty() ? 0 : 1;
      }
    }
    return (double) unreachable / resident;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void tilesOfEachServerAreJoinedToItsPrompts(int count) {
    List<LmcacheServer> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      servers.add(new LmcacheServer(store, clock, i, false, 0));
    }

    run(servers, 1);

    ChainStats stats = store.parts().getFirst().chains.stats();
    assertThat((double) stats.requests()).isBetween(PROMPTS * 0.98, PROMPTS * 1.25);
    assertThat(linked()).isGreaterThan(0.97);
    assertThat(unreachable()).isLessThan(0.01);
    assertThat(servers)
        .allSatisfy(server -> {
          assertThat(server.lost).isZero();
          assertThat((double) server.hits / server.chunks).isGreaterThan(0.3);
        });
    Stores.assertSound(store);
  }

  @Test
  void chunksOfAServerWithSeveralPromptsInFlightAreOnTheirOwnUntilItHasOneAtATime() {
    LmcacheServer server = new LmcacheServer(store, clock, 1, false, 0);
    run(List.of(server, server, server), 1);

    ChainStats mixed = store.parts().getFirst().chains.stats();
    assertThat((double) mixed.requests()).isLessThan(PROMPTS * 0.1);
    assertThat((double) mixed.linked()).isLessThan(600 * 0.1);
    assertThat(unreachable()).isLessThan(0.05);
    assertThat(server.lost).isZero();
    assertThat((double) server.hits / server.chunks).isGreaterThan(0.3);

    run(List.of(server), 2);

    ChainStats oneAtATime = store.parts().getFirst().chains.stats();
    assertThat((double) oneAtATime.requests() - mixed.requests()).isGreaterThan(PROMPTS * 0.6);
    assertThat(linked()).isGreaterThan(0.9);
    Stores.assertSound(store);
  }

  @Test
  void chunksReadInPlainOrderHitAsOftenAsThoseInTiles() {
    LmcacheServer tiled = new LmcacheServer(store, clock, 1, false, 0);
    run(List.of(tiled), 1);
    double inTiles = (double) tiled.hits / tiled.chunks;
    Stores.close(store);
    store = store(600);
    LmcacheServer scrambled = new LmcacheServer(store, clock, 1, true, 0);
    run(List.of(scrambled), 1);

    assertThat((double) scrambled.hits / scrambled.chunks).isGreaterThan(inTiles - 0.02);
    assertThat(unreachable()).isLessThan(0.05);
    Stores.assertSound(store);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 12})
  void chunksSentOverAnyFreeConnectionHitAsOftenAsThoseInTiles(int localChunks) {
    LmcacheServer tiled = new LmcacheServer(store, clock, 1, false, localChunks);
    run(List.of(tiled), 1);
    double inTiles = (double) tiled.hits / tiled.chunks;
    Stores.close(store);
    store = store(600);
    LmcacheServer server = new LmcacheServer(store, clock, 1, false, localChunks);
    server.fansOut = true;
    run(List.of(server), 1);

    ChainStats stats = store.parts().getFirst().chains.stats();
    assertThat((double) stats.hits()).isGreaterThan(server.hits * 0.9);
    assertThat(linked()).isGreaterThan(0.5);
    assertThat(unreachable()).isLessThan(0.01);
    assertThat(server.lost).isZero();
    assertThat((double) server.hits / server.chunks).isGreaterThan(inTiles - 0.01);
    Stores.assertSound(store);
  }

  @Test
  void theFrontOfAPromptStaysThoughLmcacheHasItItself() {
    LmcacheServer server = new LmcacheServer(store, clock, 1, false, 0);
    LmcacheServer withMemory = new LmcacheServer(store, clock, 2, false, 12);
    // Stores show which connections are of one server.
    for (int i = 0; i < 20; i++) {
      server.serve(prompt("first", 40 * i));
      withMemory.serve(prompt("second", 40 * i));
    }
    List<String> prompt = prompt("m", 0);
    server.serve(prompt);
    server.serve(prompt.subList(0, 20));
    // From here on, the server with memory asks only for what follows its own chunks.
    withMemory.serve(prompt.subList(0, 12));
    for (int round = 0; round < 40; round++) {
      withMemory.begin(prompt).subList(0, 3).forEach(Runnable::run);
      server.serve(prompt("other", 40 * round));
    }

    assertThat(prompt).allMatch(chunk -> store.length(StoreClient.bytes(chunk)) >= 0);
  }

  private static List<String> prompt(String model, int first) {
    return IntStream.range(first, first + 30).mapToObj(chunk -> key(model, chunk)).toList();
  }

  @Test
  void theObjectsOfAChunkAreOneEntryOfItsChain() {
    LmcacheServer server = new LmcacheServer(store, clock, 1, false, 0);
    for (int i = 0; i < 20; i++) {
      server.serve(prompt("first", 40 * i));
    }
    for (int round = 0; round < 3; round++) {
      List<String> rows = new ArrayList<>();
      for (int group = 0; group < 2; group++) {
        for (int i = 0; i < 10 + 3 * round; i++) {
          rows.add("m@01000100@%d@%08x".formatted(group, i));
        }
      }
      server.serve(rows);
    }

    List<StoredValue> linked = new ArrayList<>();
    StorePartition part = store.parts().getFirst();
    part.place.locked(() ->
        part.values.each(
            0,
            part.values.slots(),
            value -> {
              if (Links.parent(value) != null && text(value).startsWith("m@")) {
                linked.add(value);
              }
            }));
    assertThat(linked)
        .hasSize(15)
        .allSatisfy(value ->
            assertThat(chunk(requireNonNull(Links.parent(value)))).isEqualTo(chunk(value) - 1));
  }

  private static int chunk(StoredValue value) {
    return Integer.parseInt(text(value).substring("m@01000100@0@".length()), 16);
  }

  @Test
  void tableOfPredecessorsIsNotSmallerThanTheResidents() {
    run(List.of(new LmcacheServer(store, clock, 1, false, 0)), 3);

    ChainStats stats = store.parts().getFirst().chains.stats();
    assertThat(stats.known()).isGreaterThanOrEqualTo(stats.linked());
  }
}
