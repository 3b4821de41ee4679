package dev.ebb.host.cuda;

import dev.ebb.host.signals.LayerKeys;
import dev.ebb.host.signals.SignalArguments;
import dev.ebb.host.signals.SignalKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Signals computed by the card. */
final class CudaSignals implements SignalKernels {

  private static final int WARP = 32;
  private static final int KEYS_PER_BLOCK = CudaKernels.THREADS / WARP;
  private static final int MAX_PIECES = 1024;

  private final CudaSlab slab;
  private final Workshop workshop;

  CudaSignals(CudaSlab slab, Workshop workshop) {
    this.slab = slab;
    this.workshop = workshop;
  }

  @Override
  public void windowAttention(
      LayerKeys keys, int queryHeads, int window, MemorySegment queries, MemorySegment scores) {
    SignalArguments.ofWindow(keys, queryHeads, window, queries, scores);
    compute(
        keys,
        queries,
        scores,
        false,
        (table, in, out) ->
            workshop
                .kernels()
                .launch(
                    workshop.kernels().windowAttention,
                    window,
                    queryHeads,
                    0,
                    slab.address(),
                    keys.shape().blockBytes(),
                    table,
                    keys.shape().blockTokens(),
                    keys.shape().headDim(),
                    keys.shape().type().code(),
                    keys.firstLane(),
                    queryHeads / keys.kvHeads(),
                    keys.length(),
                    window,
                    in,
                    out));
  }

  @Override
  public void keyNorms(LayerKeys keys, int first, int count, MemorySegment norms) {
    SignalArguments.ofNorms(keys, first, count, norms);
    if (count == 0) {
      return;
    }
    int pieces = Math.min(MAX_PIECES, (count + KEYS_PER_BLOCK - 1) / KEYS_PER_BLOCK);
    compute(
        keys,
        MemorySegment.NULL,
        norms,
        false,
        (table, in, out) ->
            workshop
                .kernels()
                .launch(
                    workshop.kernels().keyNorms,
                    pieces,
                    keys.kvHeads(),
                    0,
                    slab.address(),
                    keys.shape().blockBytes(),
                    table,
                    keys.shape().blockTokens(),
                    keys.shape().headDim(),
                    keys.shape().type().code(),
                    keys.firstLane(),
                    first,
                    count,
                    out));
  }

  @Override
  public void addToKeyMean(LayerKeys keys, int first, int count, long seen, MemorySegment mean) {
    SignalArguments.ofMean(keys, first, count, seen, mean);
    if (count == 0) {
      return;
    }
    compute(
        keys,
        mean,
        mean,
        true,
        (table, in, out) ->
            workshop
                .kernels()
                .launch(
                    workshop.kernels().keyMean,
                    keys.kvHeads(),
                    1,
                    KEYS_PER_BLOCK * keys.shape().headDim() * Float.BYTES,
                    slab.address(),
                    keys.shape().blockBytes(),
                    table,
                    keys.shape().blockTokens(),
                    keys.shape().headDim(),
                    keys.shape().type().code(),
                    keys.firstLane(),
                    first,
                    count,
                    seen,
                    out));
  }

  /** Sends the block table and the input, launches, and fetches the output. */
  private void compute(
      LayerKeys keys, MemorySegment input, MemorySegment output, boolean inPlace, Launch launch) {
    keys.requireWithin(slab.bytes());
    int[] blocks = keys.blocks();
    long in = Scratch.aligned((long) blocks.length * Integer.BYTES);
    long out = inPlace ? in : in + Scratch.aligned(input.byteSize());
    slab.whileOpen(() ->
        workshop
            .scratch()
            .use(
                out + output.byteSize(),
                parts -> {
                  MemorySegment.copy(
                      blocks, 0, parts.host(), ValueLayout.JAVA_INT, 0, blocks.length);
                  MemorySegment.copy(input, 0, parts.host(), in, input.byteSize());
                  workshop
                      .context()
                      .runToEnd(() -> {
                        parts.upload(0, in + input.byteSize());
                        launch.at(parts.device(), parts.device() + in, parts.device() + out);
                        parts.download(out, output.byteSize());
                      });
                  MemorySegment.copy(parts.host(), out, output, 0, output.byteSize());
                }));
  }

  /** Queues a kernel, given where its table, input and output lie. */
  private interface Launch {
    void at(long table, long in, long out);
  }
}
