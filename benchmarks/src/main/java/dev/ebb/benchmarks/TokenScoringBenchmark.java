package dev.ebb.benchmarks;

import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.LayerKeys;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Attention of the last 32 queries of 32 heads over 4,096 stored keys of 8 KV heads, 128 elements,
 * fp16: one layer of Llama-3-8B, on one thread, softmax included. An operation is one of the
 * products' floating-point operations, so that the score, in operations a nanosecond, is GFLOP/s.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-XX:+UseParallelGC", "--enable-native-access=ALL-UNNAMED"})
public class TokenScoringBenchmark {

  private static final int LENGTH = 4_096;
  private static final int QUERY_HEADS = 32;
  private static final int WINDOW = 32;
  private static final int DIM = 128;
  private static final int OPERATIONS = 2 * QUERY_HEADS * WINDOW * DIM * LENGTH;
  private static final KvLayout SHAPE = new KvLayout(1, 8, DIM, 16, DType.FP16);

  private final Arena arena = Arena.ofShared();
  private final int[] table = IntStream.range(0, LENGTH / SHAPE.blockTokens()).toArray();
  private final LayerKeys keys = new LayerKeys(SHAPE, table, 0, SHAPE.lanes(), LENGTH);
  private final MemorySegment slab =
      arena.allocate((long) table.length * SHAPE.blockBytes(), 4_096);
  private final MemorySegment queries =
      arena.allocate((long) QUERY_HEADS * WINDOW * DIM * Float.BYTES, 64);
  private final MemorySegment scores =
      arena.allocate((long) QUERY_HEADS * WINDOW * LENGTH * Float.BYTES, 64);
  private final FastSignals signals = new FastSignals(slab);
  private @Nullable NativeLoops loops;

  /**
   * Fills keys and queries, and builds the C loops.
   *
   * @throws IOException if they cannot be built
   */
  @Setup
  public void fill() throws IOException {
    Random random = new Random(2);
    for (long at = 0; at < slab.byteSize(); at += Short.BYTES) {
      slab.set(ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((float) random.nextGaussian()));
    }
    for (long at = 0; at < queries.byteSize(); at += Float.BYTES) {
      queries.set(ValueLayout.JAVA_FLOAT, at, (float) random.nextGaussian());
    }
    loops = NativeLoops.build(arena);
  }

  /** As Ebb computes it. */
  @Benchmark
  @OperationsPerInvocation(OPERATIONS)
  public MemorySegment java() {
    signals.windowAttention(keys, QUERY_HEADS, WINDOW, queries, scores);
    return scores;
  }

  /**
   * The same as plain loops in C. Fails where there is no C compiler, which leaves the others as
   * they are.
   */
  @Benchmark
  @OperationsPerInvocation(OPERATIONS)
  public long c() {
    NativeLoops built = loops;
    if (built == null) {
      throw new IllegalStateException("skipped: there is no C compiler 'cc' to build the loops");
    }
    return built.attention(slab, keys, QUERY_HEADS, WINDOW, queries, scores);
  }
}
