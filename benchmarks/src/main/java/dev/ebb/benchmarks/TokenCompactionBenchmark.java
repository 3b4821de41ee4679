package dev.ebb.benchmarks;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.KeptSets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A sequence of 8,192 tokens in the shape of Llama-3-8B is brought down to 2,048: plan, moves,
 * blocks freed. Beside one plain copy of as many bytes as move, in the same kind of mapping.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 15)
@Fork(
    value = 1,
    jvmArgsAppend = {"-XX:+UseParallelGC", "--enable-native-access=ALL-UNNAMED"})
public class TokenCompactionBenchmark {

  private static final KvLayout LAYOUT = new KvLayout(32, 8, 128, 16, DType.FP16);
  private static final int LENGTH = 8_192;
  private static final int KEPT = 2_048;
  private static final int FIRST = 64;
  private static final long POOL_BYTES = 1_200L << 20;

  /**
   * What stays: the first 64 and the newest tokens, chance's choice in all heads alike, or one in
   * each KV head.
   */
  @Param({"ends", "alike", "apart"})
  public String kept = "ends";

  private final Arena arena = Arena.ofShared();
  private Ebb ebb = Ebb.bare(LAYOUT, LAYOUT.blockBytes());
  private Sequence sequence = ebb.open(SequenceRequest.of(Namespace.of("rates")));
  private KeptSets sets = KeptSets.of(new int[0]);
  private MemorySegment from = MemorySegment.NULL;
  private MemorySegment to = MemorySegment.NULL;

  /** Fills the pool's memory, and finds out how many bytes move. */
  @Setup
  public void fill() {
    close();
    ebb = Ebb.bare(LAYOUT, POOL_BYTES);
    Random random = new Random(1);
    sets =
        switch (kept) {
          case "ends" ->
              KeptSets.of(
                  IntStream.concat(
                          IntStream.range(0, FIRST),
                          IntStream.range(LENGTH - (KEPT - FIRST), LENGTH))
                      .toArray());
          case "alike" -> KeptSets.of(chosen(random));
          default -> {
            int[][] each = new int[LAYOUT.layers() * LAYOUT.kvHeads()][];
            Arrays.setAll(each, lane -> chosen(random));
            yield KeptSets.of(each);
          }
        };
    open();
    try (KvAccess access = sequence.access()) {
      for (int page = 0; page < access.pages(); page++) {
        for (int lane = 0; lane < LAYOUT.lanes(); lane++) {
          access.keys(lane, page).fill((byte) page);
          access.values(lane, page).fill((byte) lane);
        }
      }
    }
    long bytes = 2 * sequence.keep(sets).movedRows() * LAYOUT.rowBytes();
    sequence.close();
    from = arena.allocate(bytes, 4_096).fill((byte) 1);
    to = arena.allocate(bytes, 4_096).fill((byte) 2);
  }

  private static int[] chosen(Random random) {
    return random.ints(0, LENGTH).distinct().limit(KEPT).sorted().toArray();
  }

  /** A sequence of full length. */
  @Setup(Level.Invocation)
  public void open() {
    sequence = ebb.open(SequenceRequest.of(Namespace.of("rates"), new int[LENGTH]));
  }

  /** Gives it up. */
  @TearDown(Level.Invocation)
  public void end() {
    sequence.close();
  }

  /** Frees the pool. */
  @TearDown
  public final void close() {
    sequence.close();
    ebb.close();
  }

  /** Drops three quarters of the tokens. */
  @Benchmark
  public long compact() {
    return sequence.keep(sets).movedRows();
  }

  /** Copies as many bytes as move. */
  @Benchmark
  public MemorySegment plainCopy() {
    return to.copyFrom(from);
  }
}
