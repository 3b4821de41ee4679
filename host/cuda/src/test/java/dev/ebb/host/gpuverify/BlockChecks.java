package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** Checks that bytes arrive where they should. */
final class BlockChecks {

  private static final long SEED = 20_250_601;

  private final CudaDevice device;
  private final GpuReport report;
  private final Random random = new Random(SEED);

  BlockChecks(CudaDevice device, GpuReport report) {
    this.device = device;
    this.report = report;
  }

  void run() {
    report.exact("write and read 33 MiB", writeAndRead(33 << 20));
    for (int blockBytes : new int[] {64 << 10, 4096, 1004, 77}) {
      report.exact("copy blocks of " + blockBytes + " bytes", copyBlocks(blockBytes, 200));
    }
    for (int rowBytes : new int[] {256, 128, 20, 7}) {
      report.exact("gather tokens of " + rowBytes + " bytes", gather(rowBytes));
    }
  }

  private long writeAndRead(int bytes) {
    byte[] expected = random(bytes);
    try (Slab slab = device.reserve(bytes + 13)) {
      slab.write(13, MemorySegment.ofArray(expected));
      return Arrays.equals(expected, read(slab, 13, bytes)) ? 0 : 1;
    }
  }

  private long copyBlocks(int blockBytes, int blocks) {
    byte[] bytes = random(blocks * blockBytes);
    try (Slab slab = device.reserve(bytes.length)) {
      slab.write(0, MemorySegment.ofArray(bytes));
      BlockMoves moves = new BlockMoves(blocks / 2);
      for (int block = 0; block < blocks / 2; block++) {
        int target = blocks / 2 + (block * 7 + 3) % (blocks / 2);
        moves.add(block, target);
        System.arraycopy(bytes, block * blockBytes, bytes, target * blockBytes, blockBytes);
      }
      slab.copyBlocks(moves, blockBytes);
      return differences(bytes, read(slab, 0, bytes.length), blockBytes);
    }
  }

  private long gather(int rowBytes) {
    int lanes = 6;
    int blockTokens = 16;
    int[] table = {11, 3, 0, 7, 14, 5, 2, 9, 1, 12};
    int tokens = table.length * blockTokens;
    int keptTokens = 70;
    int[][] kept = new int[lanes][];
    for (int lane = 0; lane < lanes; lane++) {
      kept[lane] = random.ints(0, tokens).distinct().limit(keptTokens).sorted().toArray();
    }
    TokenGather gather = new TokenGather(table, lanes, blockTokens, rowBytes, keptTokens, kept);
    byte[] before = random(Math.toIntExact(15 * gather.blockBytes()));
    byte[] after;
    try (Slab slab = device.reserve(before.length)) {
      slab.write(0, MemorySegment.ofArray(before));
      slab.gatherTokens(gather);
      after = read(slab, 0, before.length);
    }
    long differences = 0;
    for (int plane = 0; plane < 2 * lanes; plane++) {
      for (int i = 0; i < keptTokens; i++) {
        int source = offset(gather, plane, gather.kept(plane / 2, i));
        int target = offset(gather, plane, i);
        if (!Arrays.equals(before, source, source + rowBytes, after, target, target + rowBytes)) {
          differences++;
        }
      }
    }
    return differences;
  }

  private static int offset(TokenGather gather, int plane, int token) {
    int tokens = gather.blockTokens();
    long row = (long) plane * tokens + token % tokens;
    return Math.toIntExact(
        gather.block(token / tokens) * gather.blockBytes() + row * gather.rowBytes());
  }

  private static long differences(byte[] expected, byte[] got, int unit) {
    long differences = 0;
    for (int at = 0; at < expected.length; at += unit) {
      if (!Arrays.equals(expected, at, at + unit, got, at, at + unit)) {
        differences++;
      }
    }
    return differences;
  }

  private byte[] random(int bytes) {
    byte[] filled = new byte[bytes];
    random.nextBytes(filled);
    return filled;
  }

  private static byte[] read(Slab slab, long offset, int bytes) {
    byte[] got = new byte[bytes];
    slab.read(offset, MemorySegment.ofArray(got));
    return got;
  }
}
