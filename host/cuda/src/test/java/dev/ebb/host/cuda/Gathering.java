package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.TokenGather;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** A random gather, and what it must leave behind. */
final class Gathering {

  private final int lanes;
  private final int blockTokens;
  private final int rowBytes;
  private final int[] table;
  private final int perLane;
  private final int[][] kept;
  private final int slabBlocks;
  private final Random random;

  Gathering(Random random) {
    this.random = random;
    lanes = 1 + random.nextInt(6);
    blockTokens = 1 << random.nextInt(5);
    rowBytes = new int[] {256, 64, 20, 7}[random.nextInt(4)];
    int blocks = 1 + random.nextInt(40);
    slabBlocks = blocks + random.nextInt(10);
    List<Integer> ids = new java.util.ArrayList<>(IntStream.range(0, slabBlocks).boxed().toList());
    Collections.shuffle(ids, random);
    table = ids.subList(0, blocks).stream().mapToInt(Integer::intValue).toArray();
    int tokens = blocks * blockTokens;
    perLane = random.nextInt(tokens + 1);
    kept = new int[lanes][];
    for (int lane = 0; lane < lanes; lane++) {
      List<Integer> positions =
          new java.util.ArrayList<>(IntStream.range(0, tokens).boxed().toList());
      Collections.shuffle(positions, random);
      kept[lane] =
          positions.subList(0, perLane).stream().mapToInt(Integer::intValue).sorted().toArray();
    }
  }

  TokenGather gather() {
    return new TokenGather(table, lanes, blockTokens, rowBytes, perLane, kept);
  }

  byte[] slab() {
    byte[] bytes = new byte[slabBlocks * 2 * lanes * blockTokens * rowBytes];
    random.nextBytes(bytes);
    return bytes;
  }

  void check(byte[] before, byte[] after) {
    for (int plane = 0; plane < 2 * lanes; plane++) {
      for (int i = 0; i < perLane; i++) {
        int source = kept[plane / 2][i];
        assertThat(row(after, plane, i)).isEqualTo(row(before, plane, source));
      }
    }
    for (int block = 0; block < slabBlocks; block++) {
      int id = block;
      if (Arrays.stream(table).noneMatch(used -> used == id)) {
        int size = 2 * lanes * blockTokens * rowBytes;
        assertThat(Arrays.copyOfRange(after, id * size, (id + 1) * size))
            .isEqualTo(Arrays.copyOfRange(before, id * size, (id + 1) * size));
      }
    }
  }

  private byte[] row(byte[] slab, int plane, int token) {
    int block = table[token / blockTokens];
    int start = ((block * 2 * lanes + plane) * blockTokens + token % blockTokens) * rowBytes;
    return Arrays.copyOfRange(slab, start, start + rowBytes);
  }
}
