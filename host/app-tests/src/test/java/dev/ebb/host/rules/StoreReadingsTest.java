package dev.ebb.host.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.config.rules.RuleSignal;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.PartitionSpec;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreConnection;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChainKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a real store is read as, by a clock that is made up. */
class StoreReadingsTest {

  private static final int POOL = 1 << 20;

  /** A clock that a test sets. */
  private static final class SetTime implements TimeSource {

    private long seconds = 1_000;

    void advance(long by) {
      seconds += by;
    }

    @Override
    public long nanos() {
      return seconds * 1_000_000_000L;
    }

    @Override
    public long wallMillis() {
      return seconds * 1_000;
    }
  }

  private final SetTime time = new SetTime();
  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(device, StoreOptions.of(POOL, Duration.ZERO, 1), time);
  private final SiteReadings readings = new SiteReadings(store.site(), device.memory());

  @AfterEach
  void close() {
    store.close();
    device.close();
  }

  private double read(RuleSignal when, @Nullable String of) {
    return readings.of(
        new RuleConfig("a", when, of, 0, 1, Duration.ZERO, Duration.ZERO, new Choice("lru", null)));
  }

  private void second() {
    time.advance(1);
    readings.take(List.of());
  }

  private void put(String key) {
    put(store, key);
  }

  private static void put(ObjectStore into, String key) {
    byte[] value = new byte[64 << 10];
    try (ValueWriter writer = into.write(key.getBytes(StandardCharsets.UTF_8), value.length)) {
      writer.write(ByteBuffer.wrap(value));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private void get(String key, int times) {
    for (int i = 0; i < times; i++) {
      ValueReader reader = store.get(key.getBytes(StandardCharsets.UTF_8));
      if (reader != null) {
        reader.close();
      }
    }
  }

  @Test
  void occupancyIsAsOfNow() {
    second();
    assertThat(read(RuleSignal.OCCUPANCY, null)).isZero();
    assertThat(read(RuleSignal.QUEUE_DEPTH, null)).isZero();
    for (int i = 0; i < 4; i++) {
      put("key-" + i);
    }
    second();
    assertThat(read(RuleSignal.OCCUPANCY, null)).isEqualTo(0.25);
    assertThat(read(RuleSignal.AVAILABLE_MEMORY, null)).isPositive();
  }

  @Test
  void occupancyOfAPartIsOfItsQuota() {
    List<PartitionSpec> parts =
        List.of(
            new PartitionSpec(PartitionSpec.DEFAULT, null, POOL - (256 << 10)),
            new PartitionSpec("tenant:ann", "ann", 256 << 10));
    StoreOptions options = new StoreOptions(parts, Duration.ZERO, 0.2, 1);
    try (ObjectStore divided = new ObjectStore(device, options, time)) {
      SiteReadings ofParts = new SiteReadings(divided.site(), device.memory());
      put(divided, "llama@1@0@01@ann");
      put(divided, "llama@1@0@02@ben");
      time.advance(1);
      ofParts.take(List.of());

      assertThat(ofParts.of(occupancy("tenant:ann"))).isEqualTo(0.25);
      assertThat(ofParts.of(occupancy("default"))).isCloseTo(1 / 12.0, within(1e-9));
      assertThat(ofParts.of(occupancy(null))).isEqualTo(0.125);
      assertThat(ofParts.of(occupancy("tenant:ben"))).isNaN();
      ofParts.check(List.of(occupancy("tenant:ann"), occupancy(null)));
      assertThatThrownBy(() -> ofParts.check(List.of(occupancy("tenant:ben"))))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'tenant:ben'")
          .hasMessageContaining("leave 'of' out");
    }
  }

  private static RuleConfig occupancy(@Nullable String part) {
    return new RuleConfig(
        "a",
        RuleSignal.OCCUPANCY,
        part,
        0,
        1,
        Duration.ZERO,
        Duration.ZERO,
        new Choice("lru", null));
  }

  @Test
  void aShareIsOfTheLastTenSecondsAndOfEnough() {
    second();
    get("llama@1@0@01@ann", 60);
    second();
    assertThat(read(RuleSignal.MODEL_SHARE, "llama")).as("too few").isNaN();
    get("other@1@0@01@ben", 120);
    get("key", 60);
    second();
    assertThat(read(RuleSignal.MODEL_SHARE, "llama")).isCloseTo(0.25, within(1e-9));
    assertThat(read(RuleSignal.TENANT_SHARE, "ben")).isCloseTo(0.5, within(1e-9));
    assertThat(read(RuleSignal.MODEL_SHARE, "unknown")).isZero();

    for (int i = 0; i < 8; i++) {
      second();
    }
    get("other@1@0@01@ben", 20);
    second();
    assertThat(read(RuleSignal.MODEL_SHARE, "llama")).as("it is long ago").isZero();
  }

  @Test
  void prefixHitsAreOfChunksWhoseOrderIsKnown() {
    StoreOptions options = StoreOptions.of(POOL, Duration.ZERO, 1).chains(ChainKeys.ALL);
    try (ObjectStore chained = new ObjectStore(device, options, time)) {
      SiteReadings ofChains = new SiteReadings(chained.site(), device.memory());
      time.advance(1);
      ofChains.take(List.of());
      assertThat(ofChains.of(prefixHits())).as("no request").isNaN();
      try (StoreConnection client = chained.connect("host")) {
        for (int i = 0; i < 10; i++) {
          prompt(client);
        }
      }
      time.advance(1);
      ofChains.take(List.of());
      assertThat(ofChains.of(prefixHits())).as("all but the first").isCloseTo(0.9, within(1e-9));
    }
  }

  /** Looks up and reads a prompt's chunks, and stores those that are missing. */
  private static void prompt(StoreConnection client) {
    boolean found = true;
    for (int chunk = 0; chunk < 15; chunk++) {
      byte[] key = ("chunk-" + chunk).getBytes(StandardCharsets.UTF_8);
      found = found && client.exists(key);
      if (!found) {
        try (ValueWriter writer = client.write(key, 1)) {
          writer.write(ByteBuffer.allocate(1));
          writer.commit(SetOptions.PLAIN);
        }
      }
    }
  }

  private static RuleConfig prefixHits() {
    return new RuleConfig(
        "a",
        RuleSignal.PREFIX_HITS,
        null,
        0,
        1,
        Duration.ZERO,
        Duration.ZERO,
        new Choice("lru", null));
  }

  @Test
  void turnoverIsHowLongThePoolLastsAndPrematureEvictionsAreWhatIsMissed() {
    second();
    for (int i = 0; i < 16; i++) {
      put("key-" + i);
    }
    second();
    assertThat(read(RuleSignal.TURNOVER, null)).isInfinite();
    for (int i = 16; i < 24; i++) {
      put("key-" + i);
    }
    second();
    // Eight of sixteen in the two seconds.
    assertThat(read(RuleSignal.TURNOVER, null)).isCloseTo(4, within(1e-9));

    for (int i = 0; i < 8; i++) {
      get("key-" + i, 2);
    }
    get("never", 84);
    second();
    assertThat(read(RuleSignal.PREMATURE_EVICTIONS, null)).isCloseTo(0.08, within(1e-9));
  }
}
