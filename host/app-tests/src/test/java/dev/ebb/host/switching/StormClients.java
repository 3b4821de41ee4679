package dev.ebb.host.switching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SetResult;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients, each with keys of its own, so that each knows what a key's value must be if it is there:
 * the last one written. A third of the keys are of a tenant with a part of the pool for itself.
 */
final class StormClients implements AutoCloseable {

  private static final int CLIENTS = 3;
  private static final int HEAD = 16;

  /** Steps between two pauses of a millisecond: all together 80,000 a second at most. */
  private static final int BURST = 32;

  private final ObjectStore store;
  private final int keys;
  private final int mostKib;
  private final long[] versions;
  private final AtomicLong steps = new AtomicLong();
  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
  private final List<Future<?>> running = new ArrayList<>();
  private volatile boolean stopped;

  private StormClients(ObjectStore store, int keys, int mostKib) {
    this.store = store;
    this.keys = keys;
    this.mostKib = mostKib;
    versions = new long[keys];
  }

  static StormClients start(ObjectStore store, int keys, int mostKib) {
    return new StormClients(store, keys, mostKib);
  }

  /** Writes every key once, and then begins to read and write. */
  void fill() {
    Random random = new Random(1);
    for (int key = 0; key < keys; key++) {
      write(key, random);
    }
    for (int client = 0; client < CLIENTS; client++) {
      int mine = client;
      running.add(
          threads.submit(() -> {
            Random own = new Random(mine);
            long done = 0;
            while (!stopped) {
              if (++done % BURST == 0) {
                LockSupport.parkNanos(1_000_000);
              }
              int key = own.nextInt(keys / CLIENTS) * CLIENTS + mine;
              if (own.nextInt(3) == 0) {
                write(key, own);
              } else {
                read(key);
              }
            }
            steps.addAndGet(done);
            return true;
          }));
    }
  }

  /** Ends the clients. One that saw a wrong value or an error fails here. */
  void stop() throws Exception {
    stopped = true;
    for (Future<?> each : running) {
      each.get();
    }
    assertThat(steps.get()).isPositive();
  }

  /** Every key is there once at most, with its last value, and most are. */
  void check() {
    Set<String> listed = new HashSet<>();
    long cursor = 0;
    int seen = 0;
    do {
      var page = store.scan(cursor, 1_000, key -> true);
      for (byte[] key : page.keys()) {
        listed.add(new String(key, StandardCharsets.UTF_8));
        seen++;
      }
      cursor = page.next();
    } while (cursor != 0);
    assertThat(seen).as("no key is there twice").isEqualTo(listed.size());
    assertThat((long) seen).isEqualTo(store.stats().keys());
    int there = 0;
    for (int key = 0; key < keys; key++) {
      there += read(key) ? 1 : 0;
    }
    assertThat(store.partitions()).allMatch(part -> part.numbers().keys() > 0);
    assertThat(there).isEqualTo(seen).isGreaterThan(keys / 4);
    assertThat(store.stats().notAdmitted()).isZero();
  }

  private void write(int key, Random random) {
    byte[] name = name(key);
    long version = ++versions[key];
    byte[] value = new byte[HEAD + random.nextInt(mostKib << 10)];
    ByteBuffer.wrap(value).putLong(key).putLong(version);
    try (ValueWriter writer = store.write(name, value.length)) {
      writer.write(ByteBuffer.wrap(value));
      SetResult result = writer.commit(SetOptions.PLAIN);
      assertThat(result.outcome()).isEqualTo(SetResult.Outcome.STORED);
    }
  }

  private boolean read(int key) {
    ValueReader reader = store.get(name(key));
    if (reader == null) {
      return false;
    }
    try (reader) {
      ByteBuffer head = reader.piece(0, HEAD);
      assertThat(head.getLong()).isEqualTo(key);
      assertThat(head.getLong()).isEqualTo(versions[key]);
    }
    return true;
  }

  private static byte[] name(int key) {
    String tenant = key % 3 == 0 ? "ann" : "bob";
    return "m@0@0@%x@%s".formatted(key + 1, tenant).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    stopped = true;
    threads.shutdownNow();
  }
}
