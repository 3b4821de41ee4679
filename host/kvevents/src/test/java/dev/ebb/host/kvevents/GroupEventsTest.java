package dev.ebb.host.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.kvevents.tokens.TokenTable;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreConnection;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** A router's index of hybrid models, built from events alone, against what the store has. */
class GroupEventsTest {

  private static final int EVENTS = Histories.times(25_000);
  private static final int CHUNKS = 400;
  private static final int GROUPS = 3;
  private static final int RANKS = 2;

  private final TestClock clock = new TestClock();
  private final KvEventQueue queue = new KvEventQueue(Integer.MAX_VALUE);
  private final BlockAnnouncer announcer =
      new BlockAnnouncer(new TokenTable(1 << 12, 0), new WaitingChunks(0));
  private final EventEncoder encoder = new EventEncoder(KvEventsFormat.MAP, "CPU");

  /** The groups of each hash, and the kinds that events have named. */
  private final Map<Long, Set<Integer>> index = new HashMap<>();

  private final Map<Integer, Set<String>> kinds = new HashMap<>();
  private int events;
  private int thinned;

  @ParameterizedTest
  @CsvSource({"1, 'state,full,window=2', false", "2, '', false", "3, 'full,state,full', true"})
  void anIndexHasTheObjectsOfTheStore(long seed, String groups, boolean threaded) {
    Random random = new Random(seed);
    Map<String, ObjectGroups> models =
        groups.isEmpty() ? Map.of() : Map.of("m", ObjectGroups.parse("test", groups));
    StoreOptions options =
        StoreOptions.of(256 << 10, Duration.ofMinutes(10), seed)
            .chains(ChainKeys.AUTO)
            .models(models)
            .lookupLease(Duration.ofSeconds(1));
    EvictionLimits limits = new EvictionLimits(0.9, 0.85, Duration.ofSeconds(20));
    try (HostDevice device = new HostDevice();
        ObjectStore store =
            new ObjectStore(device, threaded ? options.threaded(limits, 16) : options, clock)) {
      store.keyListener(queue);
      List<StoreConnection> connections =
          Stream.generate(() -> store.connect("host")).limit(4).toList();
      while (events < EVENTS) {
        step(store, connections.get(random.nextInt(connections.size())), random);
        read();
      }
      connections.forEach(StoreConnection::close);
      clock.millis += 100_000;
      store.sweep(10_000);
      // The thread of a policy may still evict.
      Awaiting.until(() -> {
        Map<Long, Set<Integer>> there = there(store);
        read();
        return index.equals(there);
      });
      assertThat(index.size()).isGreaterThan(20);
      if (!groups.isEmpty()) {
        assertThat(kinds.get(0))
            .containsExactly(groups.startsWith("s") ? "mamba" : "full_attention");
        assertThat(kinds.get(1))
            .containsExactly(groups.startsWith("s") ? "full_attention" : "mamba");
        assertThat(thinned).as("objects that were removed alone").isGreaterThan(100);
      }
    }
  }

  private void step(ObjectStore store, StoreConnection by, Random random) {
    // Prompts of up to seven chunks, which branch off each other.
    List<Integer> prompt = new ArrayList<>();
    for (int chunk = 1;
        chunk < CHUNKS && prompt.size() < 7;
        chunk = 3 * chunk + random.nextInt(3)) {
      prompt.add(chunk);
    }
    switch (random.nextInt(9)) {
      case 0, 1, 2, 3 -> {
        for (int group = 0; group < GROUPS; group++) {
          for (int chunk : prompt) {
            by.exists(key(group, 0, chunk));
          }
        }
        for (int chunk : prompt) {
          for (int group = 0; group < GROUPS; group++) {
            for (int rank = 0; rank < RANKS && random.nextInt(12) > 0; rank++) {
              set(by, key(group, rank, chunk), random);
            }
          }
        }
      }
      case 4 -> store.delete(key(random.nextInt(GROUPS), random.nextInt(RANKS), prompt.getLast()));
      case 5 -> {
        List<byte[]> keys = prompt.stream().map(chunk -> key(0, 0, chunk)).toList();
        int found = by.begin("r", RequestFacts.UNKNOWN, 5, keys);
        for (int chunk : prompt.subList(found, prompt.size())) {
          set(by, key(random.nextInt(GROUPS), random.nextInt(RANKS), chunk), random);
          set(by, key(random.nextInt(GROUPS), 0, chunk), random);
        }
        if (random.nextInt(4) > 0) {
          by.end("r", 9, facts -> facts);
        }
      }
      case 6 -> clock.millis += random.nextInt(2_000);
      case 7 -> store.sweep(20);
      default -> {
        if (random.nextInt(300) == 0) {
          store.clear();
        }
      }
    }
  }

  private static byte[] key(int group, int rank, int chunk) {
    HexFormat hex = HexFormat.of();
    String part = hex.toHexDigits((byte) RANKS) + hex.toHexDigits((byte) rank);
    return ("m@" + part + part + "@" + group + "@" + hex.toHexDigits(chunk))
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void set(StoreConnection by, byte[] key, Random random) {
    int bytes = 1 + random.nextInt(900);
    try (ValueWriter writer = by.write(key, bytes)) {
      writer.write(ByteBuffer.allocate(bytes));
      writer.commit(SetOptions.PLAIN);
    }
  }

  /** Reads the events as a subscriber does. */
  private void read() {
    while (!queue.isEmpty()) {
      byte[] batch = encoder.encode(0, announcer.events(queue.take(100, 0)));
      for (Value each : Subscriber.unpacked(batch).get(1).asArrayValue()) {
        events++;
        apply(each.asMapValue().map());
      }
    }
  }

  private void apply(Map<Value, Value> event) {
    String type = event.get(ValueFactory.newString("type")).asStringValue().asString();
    if (type.equals("AllBlocksCleared")) {
      return;
    }
    long hash =
        event
            .get(ValueFactory.newString("block_hashes"))
            .asArrayValue()
            .get(0)
            .asIntegerValue()
            .asLong();
    Value named = event.get(ValueFactory.newString("group_idx"));
    int group = named == null ? 0 : named.asIntegerValue().asInt();
    if (type.equals("BlockStored")) {
      index.computeIfAbsent(hash, any -> new HashSet<>()).add(group);
      Value kind = event.get(ValueFactory.newString("kv_cache_spec_kind"));
      if (kind != null) {
        kinds.computeIfAbsent(group, any -> new HashSet<>()).add(kind.asStringValue().asString());
      }
    } else {
      Set<Integer> left = index.get(hash);
      assertThat(left).as("removed before it was stored: %s %s", hash, group).contains(group);
      left.remove(group);
      thinned += left.isEmpty() ? 0 : 1;
      index.values().removeIf(Set::isEmpty);
    }
  }

  private static Map<Long, Set<Integer>> there(ObjectStore store) {
    Map<Long, Set<Integer>> there = new HashMap<>();
    StoreConnection client = store.connect("reader");
    for (int chunk = 1; chunk < 3 * CHUNKS; chunk++) {
      for (int group = 0; group < GROUPS; group++) {
        for (int rank = 0; rank < RANKS; rank++) {
          if (client.exists(key(group, rank, chunk))) {
            there.computeIfAbsent((long) chunk, any -> new HashSet<>()).add(group);
          }
        }
      }
    }
    client.close();
    return there;
  }
}
