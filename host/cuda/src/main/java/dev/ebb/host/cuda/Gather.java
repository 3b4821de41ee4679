package dev.ebb.host.cuda;

import dev.ebb.host.device.TokenGather;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Packs the kept tokens of a block table to its front with one kernel for all lanes. */
final class Gather {

  private final CudaResources resources;
  private final CudaSlab slab;

  Gather(CudaResources resources, CudaSlab slab) {
    this.resources = resources;
    this.slab = slab;
  }

  void run(TokenGather gather) {
    for (int i = 0; i < gather.blockCount(); i++) {
      slab.requireBlock(gather.block(i), gather.blockBytes());
    }
    int keptTokens = gather.keptTokens();
    if (keptTokens == 0) {
      return;
    }
    long tableBytes = DeviceScratch.aligned((long) gather.blockCount() * Integer.BYTES);
    long keptBytes = (long) gather.lanes() * keptTokens * Integer.BYTES;
    resources
        .scratch()
        .use(
            tableBytes + keptBytes,
            parts -> {
              MemorySegment ints = parts.host();
              for (int i = 0; i < gather.blockCount(); i++) {
                ints.setAtIndex(ValueLayout.JAVA_INT, i, gather.block(i));
              }
              MemorySegment kept = ints.asSlice(tableBytes, keptBytes);
              long at = 0;
              for (int lane = 0; lane < gather.lanes(); lane++) {
                for (int i = 0; i < keptTokens; i++) {
                  kept.setAtIndex(ValueLayout.JAVA_INT, at++, gather.kept(lane, i));
                }
              }
              resources
                  .context()
                  .runToEnd(() -> {
                    parts.upload(0, tableBytes + keptBytes);
                    resources
                        .kernels()
                        .launch(
                            resources.kernels().gatherTokens,
                            2 * gather.lanes(),
                            1,
                            0,
                            slab.address(),
                            gather.blockBytes(),
                            parts.device(),
                            gather.blockTokens(),
                            gather.rowBytes(),
                            parts.device() + tableBytes,
                            keptTokens);
                  });
            });
  }
}
