package dev.ebb.host.kvevents;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.tier.DiskStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.msgpack.value.MapValue;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** What a subscriber knows of both tiers. */
@Timeout(120)
class DiskEventsTest {

  private static final int KEYS = 400;
  private static final int STEPS = Histories.times(1_000);
  private static final int BYTES = 40_000;
  private static final double THRESHOLD = 0.8;

  @TempDir private Path folder;

  /** Chunks on one rank, chunks on two, and plain keys. */
  private static byte[] key(int index) {
    String key =
        switch (index % 4) {
          case 0 -> "m@1@0@%x@half".formatted(1000 + index);
          case 1 -> "m@2@0@%x@half".formatted(1000 + index);
          case 2 -> "m@2@1@%x@half".formatted(1000 + index - 1);
          default -> "key-" + index;
        };
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private static void set(ObjectStore store, byte[] key) {
    try (ValueWriter writer = store.write(key, BYTES)) {
      writer.write(ByteBuffer.allocate(BYTES));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private static void read(ObjectStore store, DiskStore disk, byte[] key) {
    if (store.length(key) < 0) {
      ValuePart part =
          disk.read(List.of(key), ByteRange::whole).toCompletableFuture().join().getFirst();
      if (part != null) {
        part.close();
      }
    }
  }

  private static void delete(ObjectStore store, DiskStore disk, byte[] key) {
    store.delete(key);
    disk.delete(List.of(key)).toCompletableFuture().join();
  }

  private static void step(ObjectStore store, DiskStore disk, Random random, int step) {
    byte[] key = key(random.nextInt(KEYS));
    int choice = random.nextInt(10);
    if (step == STEPS / 2) {
      disk.clearing();
      store.clear();
      disk.clear().toCompletableFuture().join();
    } else if (choice < 6) {
      set(store, key);
    } else if (choice < 9) {
      read(store, disk, key);
    } else {
      delete(store, disk, key);
    }
  }

  private static long unsigned(Value hash) {
    return hash.asIntegerValue().asBigInteger().longValue();
  }

  /** Returns the blocks on each medium, as the events of all batches say. */
  private static Map<String, Set<Long>> view(KvEventPublisher publisher) {
    Map<String, Set<Long>> view = Map.of("CPU", new HashSet<>(), "DISK", new HashSet<>());
    try (Subscriber subscriber = new Subscriber()) {
      for (var message : subscriber.replay(requireNonNull(publisher.replayEndpoint()), 0)) {
        for (Value event : message.batch().get(1).asArrayValue()) {
          apply(event.asMapValue(), view);
        }
      }
    }
    return view;
  }

  private static void apply(MapValue event, Map<String, Set<Long>> view) {
    Map<Value, Value> fields = event.map();
    String type = field(fields, "type").asStringValue().asString();
    if (type.equals("AllBlocksCleared")) {
      view.values().forEach(Set::clear);
      return;
    }
    Set<Long> blocks = requireNonNull(view.get(field(fields, "medium").asStringValue().asString()));
    for (Value hash : field(fields, "block_hashes").asArrayValue()) {
      if (type.equals("BlockStored")) {
        blocks.add(unsigned(hash));
      } else {
        blocks.remove(unsigned(hash));
      }
    }
  }

  private static Value field(Map<Value, Value> fields, String name) {
    return requireNonNull(fields.get(ValueFactory.newString(name)), name);
  }

  @Test
  void eventsTellWhatIsInMemoryAndOnTheDisk() {
    KvEventsConfig events = EventConfigs.of("kv", KvEventsFormat.MAP, 10_000);
    // It holds less than all values, so that the oldest ones are dropped.
    DiskTierConfig config =
        new DiskTierConfig(
            List.of(folder.resolve("values")),
            9 << 20,
            1 << 20,
            AdmissionRule.ALL,
            Duration.ofSeconds(20),
            OnStopChoice.DROP,
            Duration.ofSeconds(20),
            null);
    StoreOptions options =
        StoreOptions.of(4 << 20, Duration.ZERO, 3)
            .threaded(new EvictionLimits(THRESHOLD, 0.75, Duration.ofSeconds(20)), 64);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, TimeSource.SYSTEM);
        DiskStore disk = DiskStore.open(config, store);
        KvEventPublisher publisher = KvEventPublisher.start(events, Clock.systemUTC(), 100_000)) {
      store.keyListener(publisher.listener());
      disk.keyListener(publisher.diskListener());
      Random random = new Random(5);
      for (int i = 0; i < STEPS; i++) {
        step(store, disk, random, i);
        Awaiting.until(() ->
            disk.stats().heldBytes() == 0
                && store.stats().usedBytes() <= store.stats().capacityBytes() * THRESHOLD);
      }
      assertThat(disk.stats().disk().droppedValues()).isPositive();
      assertThat(disk.stats().disk().readValues()).isPositive();
      Awaiting.until(() -> publisher.stats().queued() == 0);
      BlockHash hashes = new BlockHash();
      Map<String, Set<Long>> view = view(publisher);
      assertThat(publisher.stats().dropped()).isZero();
      assertThat(view.get("CPU"))
          .isEqualTo(
              IntStream.range(0, KEYS)
                  .mapToObj(DiskEventsTest::key)
                  .filter(key -> store.length(key) >= 0)
                  .map(hashes::of)
                  .collect(Collectors.toSet()));
      assertThat(view.get("DISK"))
          .isEqualTo(
              IntStream.range(0, KEYS)
                  .mapToObj(DiskEventsTest::key)
                  .filter(disk::has)
                  .map(hashes::of)
                  .collect(Collectors.toSet()))
          .hasSizeGreaterThan(50);
    }
  }
}
