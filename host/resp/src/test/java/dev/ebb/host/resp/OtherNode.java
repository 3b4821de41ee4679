package dev.ebb.host.resp;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Another node: a store that answers from a thread of its own, immediately or after some time, and
 * sometimes fails.
 */
final class OtherNode implements RemoteValues, AutoCloseable {

  private final HostDevice device = new HostDevice();
  private final ObjectStore store;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final Random random;

  /** One of so many questions fails; none if 0. */
  private final int failures;

  /** The most bytes of a part of a value. */
  volatile long partBytes = Long.MAX_VALUE;

  /** What connections have stored, each as its number and the key. */
  final List<String> stored = new CopyOnWriteArrayList<>();

  /** The waits for copies that it has not ended. */
  final List<CompletableFuture<Integer>> waits = new CopyOnWriteArrayList<>();

  /** Whether it knows at once that replaced values cannot come back. */
  volatile boolean recordsReplaced;

  final AtomicInteger questions = new AtomicInteger();

  /** The answers that wait for {@link #release}; null if none does. */
  private @Nullable List<Runnable> held;

  OtherNode(long poolBytes, long seed, int failures) {
    store =
        new ObjectStore(
            device, StoreOptions.of(poolBytes, Duration.ofHours(1), 17), TimeSource.SYSTEM);
    random = new Random(seed);
    this.failures = failures;
  }

  ObjectStore store() {
    return store;
  }

  void set(String key, String value) {
    set(key.getBytes(StandardCharsets.ISO_8859_1), value.getBytes(StandardCharsets.ISO_8859_1));
  }

  private void set(byte[] key, byte[] value) {
    try (ValueWriter writer = store.write(key, value.length)) {
      writer.write(ByteBuffer.wrap(value));
      writer.commit(SetOptions.PLAIN);
    }
  }

  /** From now on nothing is answered before {@link #release}. */
  synchronized void hold() {
    held = new ArrayList<>();
  }

  /** How many questions wait. */
  synchronized int waiting() {
    return held == null ? 0 : held.size();
  }

  synchronized void release() {
    List<Runnable> answers = held == null ? List.of() : held;
    held = null;
    answers.forEach(thread::execute);
  }

  /** Gives the first answer that waits; those to later questions wait as well. */
  synchronized void releaseOne() {
    thread.execute(Objects.requireNonNull(held).removeFirst());
  }

  @Override
  public void stored(long connection, byte[] key, long version) {
    stored.add(connection + " " + new String(key, StandardCharsets.ISO_8859_1));
  }

  @Override
  public CompletableFuture<Integer> await(long connection, long nodes, long millis) {
    CompletableFuture<Integer> wait = new CompletableFuture<>();
    waits.add(wait);
    return wait;
  }

  @Override
  public CompletionStage<List<@Nullable ValuePart>> read(
      List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String traceparent) {
    return answer(() -> {
      List<@Nullable ValuePart> parts = new ArrayList<>();
      for (byte[] key : keys) {
        ValueReader reader = store.open(key);
        parts.add(reader == null ? null : part(key, reader, wanted.apply(reader.length())));
      }
      return parts;
    });
  }

  /** Returns a range of a value, or the first part of it. */
  private ValuePart part(byte[] key, ValueReader reader, ByteRange range) {
    if (range.length() <= partBytes) {
      return new ValuePart(reader, range);
    }
    long length = reader.length();
    ByteRange first = new ByteRange(range.from(), range.from() + partBytes);
    ByteRange rest = new ByteRange(first.to(), range.to());
    return new ValuePart(
        reader, first, rest.length(), () -> answer(() -> part(key, opened(key, length), rest)));
  }

  private ValueReader opened(byte[] key, long length) {
    ValueReader reader = store.open(key);
    if (reader == null || reader.length() != length) {
      if (reader != null) {
        reader.close();
      }
      throw new IllegalStateException("the value has changed");
    }
    return reader;
  }

  @Override
  public CompletionStage<List<@Nullable RemoteValue>> find(List<byte[]> keys) {
    return answer(() -> {
      List<@Nullable RemoteValue> found = new ArrayList<>();
      for (byte[] key : keys) {
        try (ValueReader reader = store.open(key)) {
          found.add(reader == null ? null : new RemoteValue(reader.length(), reader.expiresAt()));
        }
      }
      return found;
    });
  }

  @Override
  public CompletionStage<List<Boolean>> delete(List<byte[]> keys) {
    return answer(() -> {
      List<Boolean> found = keys.stream().map(key -> store.length(key) >= 0).toList();
      for (byte[] key : keys) {
        byte[] mainKey = ChunkKeys.mainKey(key);
        store.delete(mainKey);
        if (ChunkKeys.hasMetadata(mainKey)) {
          store.delete(ChunkKeys.metadataKey(mainKey));
        }
      }
      return found;
    });
  }

  @Override
  public @Nullable CompletionStage<Void> replaced(byte[] key) {
    return recordsReplaced ? CompletableFuture.completedFuture(null) : null;
  }

  @Override
  public CompletionStage<Void> clear() {
    return this.<Object>answer(
            () -> {
              store.clear();
              return true;
            })
        .thenAccept(done -> {});
  }

  private synchronized <T> CompletionStage<T> answer(Supplier<T> action) {
    questions.incrementAndGet();
    CompletableFuture<T> stage = new CompletableFuture<>();
    boolean fails = failures > 0 && random.nextInt(failures) == 0;
    if (fails && random.nextInt(3) == 0) {
      throw new IllegalStateException("the node cannot be asked");
    }
    Runnable completion =
        fails
            ? () -> stage.completeExceptionally(new IllegalStateException("the node is gone"))
            : () -> stage.completeAsync(action, Runnable::run);
    if (held != null) {
      held.add(completion);
    } else if (random.nextInt(4) == 0) {
      completion.run();
    } else {
      var _ = thread.schedule(completion, random.nextInt(3_000), TimeUnit.MICROSECONDS);
    }
    return stage;
  }

  /** Gives the answers that are due, and no others. */
  void finish() {
    thread.close();
  }

  @Override
  public void close() {
    finish();
    store.close();
    device.close();
  }
}
