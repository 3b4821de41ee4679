package dev.ebb.host.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.kvevents.RouterIndexes.Decoded;
import dev.ebb.host.kvevents.tokens.RouterHashes;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import dev.ebb.host.kvevents.tokens.TokenTable;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreConnection;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.StatedTokens;
import dev.ebb.host.testing.Histories;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.value.Value;

/** The indexes of routers, built from events alone, against what the store has. */
class RouterIndexTest {

  private static final int EVENTS = Histories.times(6_000);

  private static final int CHUNKS = 600;
  private static final int CHUNK = 8;

  /** The tokens of a router's block: chunks of one parent have the first one in common. */
  private static final int BLOCK = 4;

  private static final int SHARED = 400;

  private final KvEventQueue queue = new KvEventQueue(Integer.MAX_VALUE);
  private final WaitingChunks waiting = new WaitingChunks(1_000);
  private final TokenTable table = new TokenTable(1 << 22, BLOCK);
  private final BlockAnnouncer announcer = new BlockAnnouncer(table, waiting);
  private final EventEncoder encoder = new EventEncoder(KvEventsFormat.MAP, "CPU");
  private final RouterIndexes.Dynamo dynamo = new RouterIndexes.Dynamo(BLOCK);
  private final RouterIndexes.LlmD llmD = new RouterIndexes.LlmD(BLOCK, "m");

  /** Chunks whose last event llm-d has dropped for want of a parent. */
  private final Map<Long, Boolean> dropped = new HashMap<>();

  private int events;
  private int withoutTokens;
  private boolean pages;

  /** Tokens come with requests, with an engine's events before the values, or after them. */
  @ParameterizedTest
  @CsvSource({"1, STATED, false", "2, BEFORE, false", "3, AFTER, false", "4, BEFORE, true"})
  void theyHaveTheBlocksOfTheStore(long seed, String how, boolean ofPages) {
    pages = ofPages;
    Random random = new Random(seed);
    TestClock clock = new TestClock();
    StoreOptions options =
        StoreOptions.of(256 << 10, Duration.ofMinutes(10), seed).chains(ChainKeys.AUTO);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock)) {
      store.keyListener(queue);
      StoreConnection client = store.connect("host");
      while (events < EVENTS) {
        switch (random.nextInt(12)) {
          case 0 -> store.delete(key(1 + random.nextInt(CHUNKS)));
          case 1 -> clock.millis += random.nextInt(2_000);
          case 2 -> {
            if (random.nextInt(200) == 0) {
              store.clear();
            }
          }
          default -> request(client, prompt(random), how, random);
        }
        read();
      }
      // All may have been removed just before.
      for (int i = 0; i < 50; i++) {
        request(client, prompt(random), how, random);
        read();
      }
      compare(client);
      client.close();
      assertThat(dynamo.size()).isGreaterThan(20);
      assertThat(withoutTokens > 0).isEqualTo(how.equals("AFTER"));
    } finally {
      table.close();
    }
  }

  private void compare(StoreConnection client) {
    boolean[] there = new boolean[CHUNKS + 4];
    for (int chunk = 1; chunk <= CHUNKS; chunk++) {
      there[chunk] = client.exists(key(chunk));
    }
    int longest = 0;
    for (int chunk = 1; chunk <= CHUNKS; chunk++) {
      List<Integer> path = path(chunk);
      int[] tokens = tokens(path);
      int expected = prefix(path, each -> there[each]);
      longest = Math.max(longest, expected);
      assertThat(dynamo.prefix(tokens)).as("Dynamo, chunk %s", chunk).isEqualTo(expected);
      assertThat(llmD.prefix(tokens))
          .as("llm-d, chunk %s", chunk)
          .isEqualTo(prefix(path, each -> there[each] && !dropped.getOrDefault(hash(each), false)));
      boolean[] resident = announcer.resident(locals(tokens), any -> true);
      int run = 0;
      while (run < resident.length && resident[run]) {
        run++;
      }
      assertThat(run).as("shared cache, chunk %s", chunk).isEqualTo(expected);
      assertThat(announcer.resident(locals(tokens), any -> false)).containsOnly(false);
    }
    assertThat(longest).isGreaterThan(4);
  }

  /** Returns how many of the router's blocks of a prompt are in resident chunks. */
  private static int prefix(List<Integer> path, java.util.function.IntPredicate there) {
    int blocks = 0;
    for (int chunk : path) {
      int first = 3 * ((chunk - 1) / 3) + 1;
      boolean any = there.test(first) || there.test(first + 1) || there.test(first + 2);
      if (!there.test(chunk)) {
        return blocks + (any ? 1 : 0);
      }
      blocks += 2;
    }
    return blocks;
  }

  private static long[] locals(int[] tokens) {
    long[] locals = new long[tokens.length / BLOCK];
    for (int i = 0; i < locals.length; i++) {
      locals[i] = RouterHashes.block(tokens, i * BLOCK, BLOCK, RouterHashes.seed("", ""));
    }
    return locals;
  }

  private static List<Integer> prompt(Random random) {
    int last = 1 + random.nextInt(CHUNKS);
    return path(last);
  }

  /** The chunks up to one: each has three successors. */
  private static List<Integer> path(int chunk) {
    List<Integer> path = new ArrayList<>();
    for (int each = chunk; each > 0; each = (each - 1) / 3) {
      path.addFirst(each);
    }
    return path;
  }

  private static int[] tokens(List<Integer> path) {
    int[] tokens = new int[CHUNK * path.size()];
    for (int i = 0; i < tokens.length; i++) {
      int chunk = path.get(i / CHUNK);
      tokens[i] = i % CHUNK < BLOCK ? SHARED + (chunk - 1) / 3 : -chunk;
    }
    return tokens;
  }

  private void request(StoreConnection client, List<Integer> path, String how, Random random) {
    List<byte[]> keys = path.stream().map(this::key).toList();
    if (how.equals("STATED")) {
      queue.stated(new StatedTokens(keys, CHUNK, tokens(path), "", ""));
    }
    int found = client.begin("r", RequestFacts.UNKNOWN, 5, keys);
    if (how.equals("BEFORE")) {
      learn(path);
    }
    for (int i = found; i < keys.size(); i++) {
      int bytes = 1 + random.nextInt(2_000);
      try (ValueWriter writer = client.write(keys.get(i), bytes)) {
        writer.write(ByteBuffer.allocate(bytes));
        writer.commit(SetOptions.PLAIN);
      }
    }
    client.end("r", 9, facts -> facts);
    if (how.equals("AFTER")) {
      read();
      learn(path);
    }
  }

  /** Does what the thread of the sources does. */
  private void learn(List<Integer> path) {
    for (int i = 0; i < path.size(); i++) {
      int[] all = tokens(path.subList(0, i + 1));
      TokenBlock block =
          new TokenBlock(
              engineHash(path.get(i)),
              i == 0,
              i == 0 ? 0 : engineHash(path.get(i - 1)),
              java.util.Arrays.copyOfRange(all, i * CHUNK, (i + 1) * CHUNK),
              "",
              "",
              new byte[0]);
      table.put(block);
      Long chunk = waiting.waitsFor(block.id());
      if (chunk != null) {
        queue.add(new KvEvent.Known(chunk));
      }
    }
  }

  private static long hash(int chunk) {
    return 0x9e3779b97f4a7c15L * chunk;
  }

  /** vLLM names a page by the end of its hash, Ebb by the start. */
  private long engineHash(int chunk) {
    return hash(chunk);
  }

  private byte[] key(int chunk) {
    return (pages
            ? "%016x%032x%016x_m_0_1@0123456789ab".formatted(~hash(chunk), 0, hash(chunk))
            : "m@1@0@%016x@half".formatted(hash(chunk)))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Reads the events as a subscriber does. */
  private void read() {
    while (!queue.isEmpty()) {
      List<BlockEvent> batch = announcer.events(queue.take(100, 0));
      for (Value each : Subscriber.unpacked(encoder.encode(0, batch)).get(1).asArrayValue()) {
        events++;
        Decoded event = Decoded.of(each);
        int orphans = llmD.orphans;
        dynamo.apply(event);
        llmD.apply(event);
        withoutTokens += event.type().equals("BlockStored") && event.tokens().length == 0 ? 1 : 0;
        if (event.hashes().length > 0) {
          dropped.put(event.hashes()[event.hashes().length - 1], llmD.orphans > orphans);
        }
      }
    }
  }
}
