package dev.ebb.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.Namespace;
import dev.ebb.host.engine.PruneResult;
import dev.ebb.host.engine.Sequence;
import dev.ebb.host.engine.SequenceRequest;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.sequence.KeptSets;
import dev.ebb.host.signals.FastSignals;
import dev.ebb.host.signals.KeyShape;
import dev.ebb.host.signals.LayerKeys;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * How fast a sequence of 8,192 tokens in the shape of Llama-3-8B is brought down to 2,048, beside
 * plain copies of as many bytes; how fast window attention is computed, beside the same loops in C;
 * and what a step of a generation loop with a full window allocates. The first argument is a folder
 * with {@code plugins/}. Best of several rounds, all in one run.
 */
public final class TokenRates {

  private static final KvLayout LAYOUT = new KvLayout(32, 8, 128, 16, DType.FP16);
  private static final int LENGTH = 8_192;
  private static final int KEPT = 2_048;
  private static final int QUERY_HEADS = 32;
  private static final int WINDOW = 32;
  private static final int ROUNDS = 9;

  private TokenRates() {}

  /**
   * Measures and prints.
   *
   * @param args a folder with {@code plugins/}
   * @throws IOException if the C loops cannot be built
   */
  public static void main(String[] args) throws IOException {
    Path home = Path.of(args.length == 0 ? "." : args[0]);
    compaction(home);
    scoring();
    steps(home);
  }

  private static Ebb start(Path home, String tokens) {
    return Ebb.start(
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                "ebb { pool { device = host, size = 1200 MiB }, eviction.policy = none, tokens { %s } }"
                    .formatted(tokens)));
  }

  private static void compaction(Path home) {
    Random random = new Random(1);
    int lanes = LAYOUT.layers() * LAYOUT.kvHeads();
    try (Ebb ebb = start(home, "policy = none")) {
      report(ebb, "newest, and 64 at the front", window());
      report(ebb, "random, the same in all heads", chosen(random));
      int[][] each = new int[lanes][];
      Arrays.setAll(each, lane -> chosen(random));
      report(ebb, "random, others in each KV head", each);
    }
  }

  private static int[] window() {
    return IntStream.concat(IntStream.range(0, 64), IntStream.range(LENGTH - (KEPT - 64), LENGTH))
        .toArray();
  }

  private static int[] chosen(Random random) {
    return random.ints(0, LENGTH).distinct().limit(KEPT).sorted().toArray();
  }

  private static void report(Ebb ebb, String what, int[]... kept) {
    double best = 0;
    double plain = 0;
    for (int round = 0; round < ROUNDS; round++) {
      try (Sequence sequence =
          ebb.open(SequenceRequest.of(Namespace.of("rates"), new int[LENGTH]))) {
        long start = System.nanoTime();
        PruneResult result = sequence.keep(KeptSets.of(kept));
        double seconds = (System.nanoTime() - start) / 1e9;
        long bytes = 2 * result.movedRows() * LAYOUT.rowBytes();
        best = Math.max(best, bytes / seconds / 1e9);
        plain = Math.max(plain, plainCopies(bytes));
      }
    }
    System.out.printf(
        "compaction, %-32s %5.1f GB/s, plain copies %5.1f GB/s, share %3.0f %%%n",
        what, best, plain, 100 * best / plain);
  }

  private static double plainCopies(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(bytes, 4_096).fill((byte) 1);
      MemorySegment to = arena.allocate(bytes, 4_096).fill((byte) 2);
      long start = System.nanoTime();
      to.copyFrom(from);
      return bytes / ((System.nanoTime() - start) / 1e9) / 1e9;
    }
  }

  private static void scoring() throws IOException {
    KeyShape shape =
        new KeyShape(LAYOUT.kvHeads(), LAYOUT.blockTokens(), LAYOUT.headDim(), DType.FP16);
    int[] table = IntStream.range(0, LENGTH / LAYOUT.blockTokens()).toArray();
    LayerKeys keys = new LayerKeys(shape, table, 0, LAYOUT.kvHeads(), LENGTH);
    Random random = new Random(2);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment slab = arena.allocate(table.length * shape.blockBytes(), 4_096);
      for (long at = 0; at < slab.byteSize(); at += Short.BYTES) {
        slab.set(ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((float) random.nextGaussian()));
      }
      long rows = (long) QUERY_HEADS * WINDOW;
      MemorySegment queries = arena.allocate(rows * LAYOUT.headDim() * Float.BYTES, 64);
      for (long i = 0; i < rows * LAYOUT.headDim(); i++) {
        queries.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
      }
      MemorySegment scores = arena.allocate(rows * LENGTH * Float.BYTES, 64);
      FastSignals signals = new FastSignals(slab);
      double java =
          rate(
              rows,
              () -> {
                signals.windowAttention(keys, QUERY_HEADS, WINDOW, queries, scores);
                return 1;
              });
      System.out.printf("window attention, one layer, Java %30s %5.1f GFLOP/s%n", "", java);
      NativeLoops loops = NativeLoops.build(arena);
      if (loops == null) {
        System.out.println("window attention, C: skipped, there is no C compiler");
        return;
      }
      double c =
          rate(rows, () -> loops.attention(slab, keys, QUERY_HEADS, WINDOW, queries, scores));
      System.out.printf("window attention, one layer, C, cc -O3 %25s %5.1f GFLOP/s%n", "", c);
    }
  }

  private static double rate(long rows, LongSupplier work) {
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      long _ = work.getAsLong();
      double seconds = (System.nanoTime() - start) / 1e9;
      best = Math.max(best, 2.0 * rows * LENGTH * LAYOUT.headDim() / seconds / 1e9);
    }
    return best;
  }

  private static void steps(Path home) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    String tokens =
        "policy = sliding-window, window = %d, policies.sliding-window { protected-prefix = 4, window = %d }"
            .formatted(KEPT, KEPT - 4);
    try (Ebb ebb = start(home, tokens);
        Sequence sequence = ebb.open(SequenceRequest.of(Namespace.of("rates"), new int[KEPT]))) {
      int steps = 2_000;
      int[] token = {1};
      long best = Long.MAX_VALUE;
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 4; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        for (int step = 0; step < steps; step++) {
          sequence.append(token);
          ebb.tokens().maybeEvict(sequence);
        }
        best = Math.min(best, (System.nanoTime() - start) / steps);
        least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / steps);
      }
      System.out.printf(
          "a step that drops one of %d tokens: %d us, %d bytes allocated%n",
          KEPT, best / 1_000, least);
    }
  }
}
