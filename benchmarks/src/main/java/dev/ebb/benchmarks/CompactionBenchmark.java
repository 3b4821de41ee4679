package dev.ebb.benchmarks;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
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
 * Compaction of a pool of 4,000 blocks, half of them free, up to 1,000 moved blocks: beside copies
 * of the same blocks, and beside one copy of as many bytes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgs = "--enable-native-access=ALL-UNNAMED")
public class CompactionBenchmark {

  private static final BlockOwner OWNER = new BlockOwner("benchmark");
  private static final int BLOCKS = 4_000;
  private static final int MOVES = 1_000;

  /** Tokens of a block of 512 bytes each. */
  @Param({"16", "128"})
  int tokens;

  private HostDevice device = new HostDevice();
  private KvPool pool = KvPool.open(new KvLayout(1, 1, 128, 1, DType.FP16), device, 512);
  private MemorySegment memory = MemorySegment.NULL;
  private int[] from = {};
  private int[] to = {};

  /** Opens the pool, and records what a compaction moves. */
  @Setup
  public void open() {
    device = new HostDevice();
    KvLayout layout = new KvLayout(1, 1, 128, tokens, DType.FP16);
    pool = KvPool.open(layout, device, (long) BLOCKS * layout.blockBytes());
    memory = pool.memory().slab().segment().orElseThrow();
    memory.fill((byte) 1);
    from = new int[0];
    to = new int[0];
    boolean[] recording = {true};
    pool.movement()
        .onMove(moves -> {
          if (recording[0]) {
            from = add(from, IntStream.range(0, moves.count()).map(moves::from));
            to = add(to, IntStream.range(0, moves.count()).map(moves::to));
          }
        });
    fragment();
    compact();
    recording[0] = false;
  }

  private static int[] add(int[] first, IntStream more) {
    return IntStream.concat(IntStream.of(first), more).toArray();
  }

  /** Frees each other block or so of a full pool. */
  private void fragment() {
    pool.free(IntStream.range(0, BLOCKS).filter(block -> pool.references(block) > 0).toArray());
    pool.allocate(OWNER, BLOCKS, Placement.SCATTERED);
    SplittableRandom random = new SplittableRandom(1);
    pool.free(IntStream.range(0, BLOCKS).filter(block -> random.nextBoolean()).toArray());
  }

  private CompactionReport compact() {
    return pool.movement().compact(0, (long) MOVES * pool.layout().blockBytes());
  }

  /** Frees the memory. */
  @TearDown
  public void close() {
    device.close();
  }

  /** The same pool, fragmented in the same way before each call. */
  @State(Scope.Benchmark)
  public static class Fragmented {

    /** Fragments the pool. */
    @Setup(Level.Invocation)
    public void fragment(CompactionBenchmark benchmark) {
      benchmark.fragment();
    }
  }

  /** Compacts the pool. */
  @Benchmark
  public CompactionReport compaction(Fragmented fragmented) {
    return compact();
  }

  /** Copies the same blocks, one after the other. */
  @Benchmark
  public int copies(Fragmented fragmented) {
    long bytes = pool.layout().blockBytes();
    for (int i = 0; i < from.length; i++) {
      MemorySegment.copy(memory, from[i] * bytes, memory, to[i] * bytes, bytes);
    }
    return from.length;
  }

  /** Copies as many bytes from one half of the pool to the other. */
  @Benchmark
  public long oneCopy(Fragmented fragmented) {
    long bytes = (long) from.length * pool.layout().blockBytes();
    MemorySegment.copy(memory, 0, memory, memory.byteSize() / 2, bytes);
    return bytes;
  }
}
