package dev.ebb.host.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.files.SystemFiles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostDeviceTest {

  private final HostDevice device = new HostDevice();

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aSlabBeyondTwoGibibytesIsOneSegmentThatIsCommittedAsItIsWritten() {
    long bytes = 5L << 30;
    long before = residentBytes();
    Slab slab = device.reserve(bytes);

    slab.write(bytes - 4, bytes("tail"));

    assertThat(slab.segment().orElseThrow().byteSize()).isEqualTo(bytes);
    assertThat(slab.segment().orElseThrow().get(ValueLayout.JAVA_BYTE, bytes - 4))
        .isEqualTo((byte) 't');
    assertThat(residentBytes() - before).isLessThan(1L << 30);
    assertThat(slab.address()).isEqualTo(slab.segment().orElseThrow().address());
  }

  private static long residentBytes() {
    return SystemFiles.table(Path.of("/proc/self/status")).getOrDefault("VmRSS:", 0L) << 10;
  }

  @Test
  void blocksAreCopiedReadWrittenAndTransferred() {
    Slab slab = device.reserve(64);
    Slab other = device.reserve(32);
    slab.write(0, bytes("aaaabbbbccccdddd"));
    BlockMoves moves = new BlockMoves(0);
    moves.add(0, 3);
    moves.add(1, 2);

    slab.copyBlocks(moves, 4);
    slab.transferTo(other, 4, 20, 8);

    assertThat(text(slab, 0, 16)).isEqualTo("aaaabbbbbbbbaaaa");
    assertThat(text(other, 20, 8)).isEqualTo("bbbbbbbb");
  }

  @Test
  void whatLiesOutsideIsRefused() {
    Slab slab = device.reserve(16);
    Slab other = device.reserve(16);
    BlockMoves moves = new BlockMoves(1);
    moves.add(0, 4);

    assertThatThrownBy(() -> slab.copyBlocks(moves, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slab.write(14, bytes("abc")))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slab.transferTo(other, 8, 0, 9))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> moves.add(-1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aClosedSlabIsRefusedAndClosingTwiceDoesNothing() {
    Slab slab = device.reserve(16);

    slab.close();
    slab.close();

    assertThatThrownBy(() -> slab.write(0, bytes("a"))).isInstanceOf(IllegalStateException.class);
    device.close();
    device.close();
    assertThatThrownBy(() -> device.reserve(1)).hasMessage("device 'host' is closed");
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void keptTokensAreGatheredAtTheFront(long seed) {
    Random random = new Random(seed);
    int lanes = 1 + random.nextInt(4);
    int blockTokens = 1 + random.nextInt(6);
    int rowBytes = 1 + random.nextInt(9);
    int[] table = random.ints(0, 20).distinct().limit(1 + random.nextInt(8)).toArray();
    int tokens = table.length * blockTokens;
    int kept = random.nextInt(tokens + 1);
    int sets = random.nextBoolean() ? 1 : lanes;
    int[][] positions = new int[sets][];
    Arrays.setAll(positions, set -> chosen(random, tokens, kept));
    TokenGather gather = new TokenGather(table, lanes, blockTokens, rowBytes, kept, positions);
    Slab slab = device.reserve(20 * gather.blockBytes());
    byte[] before = new byte[(int) slab.bytes()];
    random.nextBytes(before);
    slab.write(0, MemorySegment.ofArray(before));

    slab.gatherTokens(gather);

    byte[] after = new byte[before.length];
    slab.read(0, MemorySegment.ofArray(after));
    for (int lane = 0; lane < lanes; lane++) {
      for (int i = 0; i < kept; i++) {
        for (int value = 0; value < 2; value++) {
          int from = row(table, lanes, blockTokens, lane, value, gather.kept(lane, i)) * rowBytes;
          int to = row(table, lanes, blockTokens, lane, value, i) * rowBytes;
          assertThat(Arrays.copyOfRange(after, to, to + rowBytes))
              .as("seed %d, lane %d, token %d", seed, lane, i)
              .isEqualTo(Arrays.copyOfRange(before, from, from + rowBytes));
        }
      }
    }
  }

  /** Tokens here and there, or those at both ends, among them whole blocks. */
  private static int[] chosen(Random random, int tokens, int kept) {
    if (random.nextBoolean()) {
      return random.ints(0, tokens).distinct().limit(kept).sorted().toArray();
    }
    int front = random.nextInt(kept + 1);
    return IntStream.range(0, kept).map(i -> i < front ? i : tokens - kept + i).toArray();
  }

  /** The same place by the definition of the block's layout. */
  private static int row(int[] table, int lanes, int blockTokens, int lane, int value, int token) {
    int block = table[token / blockTokens];
    return ((block * lanes + lane) * 2 + value) * blockTokens + token % blockTokens;
  }

  @Test
  void aGatherOutsideTheSlabIsRefused() {
    Slab slab = device.reserve(16);
    TokenGather gather = new TokenGather(new int[] {0, 1}, 1, 4, 2, 1, new int[][] {{5}});
    assertThatThrownBy(() -> slab.gatherTokens(gather))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void whatDoesNotFitIsRefusedWithTheFigures() {
    MemoryMonitor tight =
        new MemoryMonitor() {
          @Override
          public long totalBytes() {
            return 4 << 20;
          }

          @Override
          public long availableBytes() {
            return 3 << 20;
          }

          @Override
          public String describe() {
            return "3 MiB of 4 MiB available, limited by a test";
          }
        };
    try (HostDevice small = new HostDevice(tight)) {
      assertThatThrownBy(() -> small.reserve((3 << 20) + 1))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "3.0 MiB do not fit into host memory: 3 MiB of 4 MiB available, limited by a test,"
                  + " 0 B reserved by other pools; lower ebb.pool.size, or free memory");
      Slab first = small.reserve(2 << 20);
      assertThatThrownBy(() -> small.reserve(3 << 20)).hasMessageContaining("2 MiB reserved");
      first.close();
      small.reserve(3 << 20);
    }
  }

  private static MemorySegment bytes(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String text(Slab slab, long offset, int length) {
    byte[] bytes = new byte[length];
    slab.read(offset, MemorySegment.ofArray(bytes));
    return new String(bytes, StandardCharsets.US_ASCII);
  }
}
