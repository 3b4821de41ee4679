package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.CudaSlab;
import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.TokenGather;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.LayerKeys;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures the kernels on blocks of an 8-billion-parameter model: 32 layers of 8 KV heads of 128
 * elements in fp16, 16 tokens. A call is timed as a whole: sending the list of blocks, running the
 * kernel, waiting for its end.
 */
final class KernelMeasurements {

  private static final int KV_HEADS = 8;
  private static final int QUERY_HEADS = 32;
  private static final int WINDOW = 32;
  private static final KvLayout SHAPE = new KvLayout(32, KV_HEADS, 128, 16, DType.FP16);
  private static final int COMPACTED = 1000;
  private static final int MOST_TABLE_BLOCKS = 512;

  private final CudaDevice device;
  private final GpuReport report;
  private final Timing timing;
  private final long bytes;
  private final Random random = new Random(11);

  KernelMeasurements(CudaDevice device, GpuReport report, Timing timing, long slabBytes) {
    this.device = device;
    this.report = report;
    this.timing = timing;
    this.bytes = slabBytes;
  }

  void run() {
    try (CudaSlab slab = device.reserve(bytes)) {
      long half = bytes / 2;
      report.rate(
          "copy within the GPU, by the driver",
          timing.seconds(() -> slab.transferTo(slab, 0, half, half)),
          half,
          "%d MiB in one piece".formatted(half >> 20));
      for (long blockBytes : new long[] {64 << 10, 512 << 10, SHAPE.blockBytes()}) {
        BlockMoves moves = randomMoves(Math.toIntExact(bytes / blockBytes), Integer.MAX_VALUE);
        report.rate(
            "copy blocks",
            timing.seconds(() -> slab.copyBlocks(moves, blockBytes)),
            moves.count() * blockBytes,
            "%d random blocks of %d KiB".formatted(moves.count(), blockBytes >> 10));
      }
      compaction(slab);
      gather(slab);
      signals(slab);
    }
  }

  private void compaction(CudaSlab slab) {
    // The largest power of two at which a thousand blocks and their targets fit.
    long blockBytes = Math.min(SHAPE.blockBytes(), Long.highestOneBit(bytes / (2 * COMPACTED)));
    BlockMoves moves = randomMoves(Math.toIntExact(bytes / blockBytes), COMPACTED);
    double seconds = timing.seconds(() -> slab.copyBlocks(moves, blockBytes));
    report.time(
        "compact %,d blocks".formatted(moves.count()),
        seconds,
        "%d KiB each".formatted(blockBytes >> 10));
  }

  /** Returns random moves from one half of the slab to the other. */
  private BlockMoves randomMoves(int blocks, int most) {
    List<Integer> targets =
        IntStream.range(blocks / 2, blocks / 2 * 2).boxed().collect(Collectors.toList());
    Collections.shuffle(targets, random);
    BlockMoves moves = new BlockMoves(targets.size());
    for (int i = 0; i < Math.min(most, targets.size()); i++) {
      moves.add(i, targets.get(i));
    }
    return moves;
  }

  private int[] table() {
    int blocks = Math.toIntExact(bytes / SHAPE.blockBytes());
    List<Integer> ids = IntStream.range(0, blocks).boxed().collect(Collectors.toList());
    Collections.shuffle(ids, random);
    return ids.stream().limit(MOST_TABLE_BLOCKS).mapToInt(Integer::intValue).toArray();
  }

  private void gather(CudaSlab slab) {
    int[] table = table();
    int tokens = table.length * SHAPE.blockTokens();
    int keptTokens = tokens / 2;
    int[][] kept = new int[SHAPE.lanes()][keptTokens];
    for (int[] lane : kept) {
      // One of each two neighbours, so that every row but the first few has to move.
      Arrays.setAll(lane, i -> 2 * i + random.nextInt(2));
    }
    TokenGather gather =
        new TokenGather(
            table, SHAPE.lanes(), SHAPE.blockTokens(), SHAPE.rowBytes(), keptTokens, kept);
    report.rate(
        "gather kept tokens",
        timing.seconds(() -> slab.gatherTokens(gather)),
        2L * kept.length * keptTokens * SHAPE.rowBytes(),
        "%,d of %,d tokens in %d lanes".formatted(keptTokens, tokens, SHAPE.lanes()));
  }

  private void signals(CudaSlab slab) {
    int[] table = table();
    int length = table.length * SHAPE.blockTokens();
    LayerKeys keys = new LayerKeys(SHAPE, table, 0, KV_HEADS, length);
    MemorySegment queries =
        MemorySegment.ofArray(new float[QUERY_HEADS * WINDOW * SHAPE.headDim()]);
    MemorySegment scores = MemorySegment.ofArray(new float[QUERY_HEADS * WINDOW * length]);
    MemorySegment norms = MemorySegment.ofArray(new float[KV_HEADS * length]);
    MemorySegment mean = MemorySegment.ofArray(new float[KV_HEADS * SHAPE.headDim()]);
    String note = "one layer, %,d tokens, result fetched".formatted(length);
    report.time(
        "window attention, %d queries of %d heads".formatted(WINDOW, QUERY_HEADS),
        timing.seconds(
            () -> slab.signals().windowAttention(keys, QUERY_HEADS, WINDOW, queries, scores)),
        note);
    report.time(
        "key norms", timing.seconds(() -> slab.signals().keyNorms(keys, 0, length, norms)), note);
    report.time(
        "running key mean",
        timing.seconds(() -> slab.signals().addToKeyMean(keys, 0, length, 0, mean)),
        note);
  }
}
