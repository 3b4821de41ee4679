package dev.ebb.host.cuda;

import dev.ebb.host.device.BlockMoves;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies blocks of a slab with one kernel for many moves. */
final class BlockCopy {

  private static final int BATCH = 65_536;

  /** The bytes that one thread block copies before more of them pay off. */
  private static final long PIECE_BYTES = 32 << 10;

  private final CudaResources resources;
  private final CudaSlab slab;

  BlockCopy(CudaResources resources, CudaSlab slab) {
    this.resources = resources;
    this.slab = slab;
  }

  void run(BlockMoves moves, long blockBytes) {
    if (blockBytes < 1) {
      throw new IllegalArgumentException(
          "block bytes '%d' must be at least 1".formatted(blockBytes));
    }
    for (int i = 0; i < moves.count(); i++) {
      slab.requireBlock(moves.from(i), blockBytes);
      slab.requireBlock(moves.to(i), blockBytes);
    }
    for (int start = 0; start < moves.count(); start += BATCH) {
      batch(moves, start, Math.min(BATCH, moves.count() - start), blockBytes);
    }
  }

  private void batch(BlockMoves moves, int start, int count, long blockBytes) {
    long half = DeviceScratch.aligned((long) count * Integer.BYTES);
    resources
        .scratch()
        .use(
            2 * half,
            parts -> {
              MemorySegment from = parts.host().asSlice(0, half);
              MemorySegment to = parts.host().asSlice(half, half);
              for (int i = 0; i < count; i++) {
                from.setAtIndex(ValueLayout.JAVA_INT, i, moves.from(start + i));
                to.setAtIndex(ValueLayout.JAVA_INT, i, moves.to(start + i));
              }
              int pieces = Math.clamp((blockBytes + PIECE_BYTES - 1) / PIECE_BYTES, 1, 1024);
              resources
                  .context()
                  .runToEnd(() -> {
                    parts.upload(0, 2 * half);
                    resources
                        .kernels()
                        .launch(
                            resources.kernels().copyBlocks,
                            pieces,
                            Math.min(count, CudaKernels.MAX_GRID_Y),
                            0,
                            slab.address(),
                            blockBytes,
                            parts.device(),
                            parts.device() + half,
                            count);
                  });
            });
  }
}
