package dev.ebb.host.cuda;

import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.LayerKeys;
import dev.ebb.host.tokens.signals.SignalArguments;
import dev.ebb.host.tokens.signals.SignalKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUfunction;

/** Signals computed by the GPU. */
final class CudaSignals implements SignalKernels {

  private static final int WARP = 32;
  private static final int KEYS_PER_BLOCK = CudaKernels.THREADS / WARP;
  private static final int MAX_PIECES = 1024;

  private final CudaSlab slab;
  private final CudaResources resources;

  CudaSignals(CudaSlab slab, CudaResources resources) {
    this.slab = slab;
    this.resources = resources;
  }

  @Override
  public void windowAttention(
      LayerKeys keys, int queryHeads, int window, MemorySegment queries, MemorySegment scores) {
    SignalArguments.ofWindow(keys, queryHeads, window, queries, scores);
    Grid grid = new Grid(resources.kernels().windowAttention, window, queryHeads, 0);
    compute(
        keys,
        queries,
        scores,
        false,
        (table, in, out) ->
            launch(grid, keys, table, queryHeads / keys.kvHeads(), keys.length(), window, in, out));
  }

  @Override
  public void keyNorms(LayerKeys keys, int first, int count, MemorySegment norms) {
    SignalArguments.ofNorms(keys, first, count, norms);
    if (count == 0) {
      return;
    }
    int pieces = Math.min(MAX_PIECES, (count + KEYS_PER_BLOCK - 1) / KEYS_PER_BLOCK);
    Grid grid = new Grid(resources.kernels().keyNorms, pieces, keys.kvHeads(), 0);
    compute(
        keys,
        MemorySegment.NULL,
        norms,
        false,
        (table, in, out) -> launch(grid, keys, table, first, count, out));
  }

  @Override
  public void addToKeyMean(LayerKeys keys, int first, int count, long seen, MemorySegment mean) {
    SignalArguments.ofMean(keys, first, count, seen, mean);
    if (count == 0) {
      return;
    }
    int shared = KEYS_PER_BLOCK * keys.layout().headDim() * Float.BYTES;
    Grid grid = new Grid(resources.kernels().keyMean, keys.kvHeads(), 1, shared);
    compute(
        keys,
        mean,
        mean,
        true,
        (table, in, out) -> launch(grid, keys, table, first, count, seen, out));
  }

  /**
   * The size of a kernel's grid.
   *
   * @param sharedBytes memory that the threads of a block share
   */
  private record Grid(CUfunction kernel, int x, int y, int sharedBytes) {}

  /** Queues a kernel: first the arguments that describe the keys, then the rest. */
  private void launch(Grid grid, LayerKeys keys, long table, Object... rest) {
    KvLayout layout = keys.layout();
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                slab.address() + keys.shift(),
                (long) layout.blockBytes(),
                table,
                layout.blockTokens(),
                layout.headDim(),
                code(layout.dtype()),
                keys.firstLane()));
    arguments.addAll(List.of(rest));
    resources.kernels().launch(grid.kernel, grid.x, grid.y, grid.sharedBytes, arguments.toArray());
  }

  /** Returns the kernels' number of a type. */
  private static int code(DType type) {
    return DType.computable().indexOf(type);
  }

  /** Sends the block table and the input, launches, and fetches the output. */
  private void compute(
      LayerKeys keys, MemorySegment input, MemorySegment output, boolean inPlace, Launch launch) {
    keys.requireWithin(slab.bytes());
    int[] blocks = keys.blocks();
    long in = DeviceScratch.aligned((long) blocks.length * Integer.BYTES);
    long out = inPlace ? in : in + DeviceScratch.aligned(input.byteSize());
    slab.whileOpen(() ->
        resources
            .scratch()
            .use(
                out + output.byteSize(),
                parts -> {
                  MemorySegment.copy(
                      blocks, 0, parts.host(), ValueLayout.JAVA_INT, 0, blocks.length);
                  MemorySegment.copy(input, 0, parts.host(), in, input.byteSize());
                  resources
                      .context()
                      .runToEnd(() -> {
                        parts.upload(0, in + input.byteSize());
                        launch.at(parts.device(), parts.device() + in, parts.device() + out);
                        parts.download(out, output.byteSize());
                      });
                  MemorySegment.copy(parts.host(), out, output, 0, output.byteSize());
                }));
  }

  /** Queues a kernel with the addresses of its table, input and output. */
  private interface Launch {
    void at(long table, long in, long out);
  }
}
