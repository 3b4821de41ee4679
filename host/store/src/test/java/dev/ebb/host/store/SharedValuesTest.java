package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.numa.NumaPlacement;
import dev.ebb.host.store.value.MemoryRange;
import dev.ebb.host.testing.Histories;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reservations and leases in any order, with every byte compared, in a pool that evicts. */
class SharedValuesTest {

  private static final long PART = 2 << 20;

  private final Map<String, byte[]> model = new HashMap<>();
  private final List<Placed> placed = new ArrayList<>();
  private final List<Leased> leased = new ArrayList<>();

  @TempDir private Path folder;

  @SuppressWarnings("ArrayRecordComponent")
  private record Placed(String key, byte[] bytes, SharedValues.Reservation reservation) {}

  @SuppressWarnings("ArrayRecordComponent")
  private record Leased(byte[] bytes, SharedValues.Lease lease) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void everyByteIsThatOfItsValue(long seed) throws IOException {
    Random random = new Random(seed);
    try (HostDevice device = HostDevice.sharedIn(folder, NumaPlacement.DEFAULT);
        ObjectStore store = new ObjectStore(device, options(seed), new TestClock());
        Arena arena = Arena.ofConfined()) {
      SharedValues shared = new SharedValues(store);
      StoreConnection connection = store.connect("here");
      MemorySegment memory = mapped(shared, arena);
      StoreClient client = new StoreClient(store);
      for (int step = 0; step < Histories.times(2_000); step++) {
        String key = (random.nextBoolean() ? "k" : "m@1@0@ann@") + random.nextInt(12);
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> place(shared, connection, memory, key, random);
          case 3, 4 -> end(memory, random);
          case 5, 6 -> lease(shared, connection, memory, key);
          case 7 -> release(memory, random);
          case 8 -> {
            byte[] value = bytes(random);
            model.remove(key);
            if (client.set(key, value, SetOptions.PLAIN).outcome() == SetResult.Outcome.STORED) {
              model.put(key, value);
            }
          }
          default -> {
            if (random.nextInt(3) == 0) {
              store.delete(StoreClient.bytes(key));
              model.remove(key);
            } else {
              compare(client.get(key), key);
            }
          }
        }
        Stores.assertSound(store);
        assertThat(shared.heldBytes()).isBetween(0L, PART);
      }
      assertThat(store.stats().evicted()).isPositive();
      leased.forEach(each -> assertThat(read(memory, each.lease.ranges())).isEqualTo(each.bytes));
      placed.forEach(each -> each.reservation.close());
      leased.forEach(each -> each.lease.close());
      assertThat(shared.heldBytes()).isZero();
      store.clear();
      Stores.assertEmpty(store);
    }
  }

  private static StoreOptions options(long seed) {
    return new StoreOptions(
        List.of(new PartitionSpec("default", null, PART), new PartitionSpec("ann", "ann", PART)),
        Duration.ZERO,
        0.5,
        seed);
  }

  private static MemorySegment mapped(SharedValues shared, Arena arena) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            requireNonNull(shared.file()), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return file.map(FileChannel.MapMode.READ_WRITE, 0, shared.bytes(), arena);
    }
  }

  private void place(
      SharedValues shared,
      StoreConnection connection,
      MemorySegment memory,
      String key,
      Random random) {
    byte[] value = bytes(random);
    try {
      SharedValues.Reservation reservation =
          shared.reserve(StoreClient.bytes(key), value.length, connection);
      if (reservation != null) {
        write(memory, reservation.ranges(), value);
        placed.add(new Placed(key, value, reservation));
      }
    } catch (UserError full) {
      assertThat(shared.heldBytes()).isGreaterThan(PART / 2 - (320 << 10));
    }
  }

  private void end(MemorySegment memory, Random random) {
    if (placed.isEmpty()) {
      return;
    }
    Placed value = placed.remove(random.nextInt(placed.size()));
    assertThat(read(memory, value.reservation.ranges())).isEqualTo(value.bytes);
    if (random.nextInt(3) == 0) {
      value.reservation.close();
    } else {
      assertThat(value.reservation.commit(SetOptions.PLAIN).outcome())
          .isEqualTo(SetResult.Outcome.STORED);
      model.put(value.key, value.bytes);
    }
  }

  private void lease(
      SharedValues shared, StoreConnection connection, MemorySegment memory, String key) {
    try {
      SharedValues.Lease lease = shared.lease(StoreClient.bytes(key), connection);
      byte[] value = lease == null ? null : read(memory, lease.ranges());
      compare(value, key);
      if (lease != null && value != null) {
        leased.add(new Leased(value, lease));
      }
    } catch (UserError full) {
      assertThat(shared.heldBytes()).isPositive();
    }
  }

  private void release(MemorySegment memory, Random random) {
    if (!leased.isEmpty()) {
      Leased value = leased.remove(random.nextInt(leased.size()));
      assertThat(read(memory, value.lease.ranges())).isEqualTo(value.bytes);
      value.lease.close();
    }
  }

  /** A value may have been evicted; it is never another one. */
  private void compare(byte @Nullable [] found, String key) {
    if (found == null) {
      model.remove(key);
    } else {
      assertThat(found).isEqualTo(model.get(key));
    }
  }

  /** Values in slots, in one block and in several. */
  private static byte[] bytes(Random random) {
    int most = List.of(2_000, 30_000, 65_536, 300_000).get(random.nextInt(4));
    byte[] value = new byte[random.nextInt(most)];
    random.nextBytes(value);
    return value;
  }

  private static void write(MemorySegment memory, List<MemoryRange> ranges, byte[] value) {
    int at = 0;
    for (MemoryRange range : ranges) {
      int count = (int) range.length();
      MemorySegment.copy(value, at, memory, ValueLayout.JAVA_BYTE, range.offset(), count);
      at += count;
    }
    assertThat(at).isEqualTo(value.length);
  }

  private static byte[] read(MemorySegment memory, List<MemoryRange> ranges) {
    byte[] value = new byte[(int) ranges.stream().mapToLong(MemoryRange::length).sum()];
    int at = 0;
    for (MemoryRange range : ranges) {
      int count = (int) range.length();
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, range.offset(), value, at, count);
      at += count;
    }
    return value;
  }
}
