package dev.ebb.host.device;

import java.util.Arrays;

/**
 * The tokens of one block table that are kept. The lanes of a group share the table and the number
 * of tokens kept; the tokens themselves differ from lane to lane.
 *
 * <p>A block holds, for each lane, all its K rows and then all its V rows: {@code
 * [lane][K|V][token][row]}. Token {@code t} of the table is row {@code t % blockTokens} of the
 * block {@code blocks[t / blockTokens]}. After the gather the i-th kept token of each lane is token
 * i.
 */
public final class TokenGather {

  private final int[] blocks;
  private final int lanes;
  private final int blockTokens;
  private final int rowBytes;

  /** By set: the kept tokens; values behind them have no meaning. */
  private final int[][] kept;

  private final int keptTokens;

  /**
   * Creates a gather in which each lane keeps tokens of its own.
   *
   * @param blocks the block table, in the order of its tokens, no block twice
   * @param kept {@code [lane][keptTokens]}: positions in the table, rising within a lane
   * @throws IllegalArgumentException if a size is not positive or a position not in order or not in
   *     the table
   */
  public TokenGather(int[] blocks, int lanes, int blockTokens, int rowBytes, int[] kept) {
    this(blocks, lanes, blockTokens, rowBytes, lanes, kept);
  }

  /**
   * Creates a gather.
   *
   * @param blocks the block table, in the order of its tokens, no block twice
   * @param sets 1 if all lanes keep the same tokens, or {@code lanes}
   * @param kept {@code [sets][keptTokens]}: positions in the table, rising within a set
   * @throws IllegalArgumentException if a size is not positive or a position not in order or not in
   *     the table
   */
  public TokenGather(int[] blocks, int lanes, int blockTokens, int rowBytes, int sets, int[] kept) {
    if (lanes < 1 || blockTokens < 1 || rowBytes < 1) {
      throw new IllegalArgumentException(
          "lanes '%d', block tokens '%d' and row bytes '%d' must be at least 1"
              .formatted(lanes, blockTokens, rowBytes));
    }
    if ((sets != 1 && sets != lanes) || kept.length % sets != 0) {
      throw new IllegalArgumentException(
          "'%d' kept positions in '%d' sets cannot be shared by '%d' lanes"
              .formatted(kept.length, sets, lanes));
    }
    this.blocks = blocks.clone();
    this.lanes = lanes;
    this.blockTokens = blockTokens;
    this.rowBytes = rowBytes;
    keptTokens = kept.length / sets;
    this.kept = new int[sets][];
    for (int set = 0; set < sets; set++) {
      this.kept[set] = Arrays.copyOfRange(kept, set * keptTokens, (set + 1) * keptTokens);
    }
    checkOrder();
  }

  /**
   * Creates a gather from a plan, which has checked it and does not change while this is used.
   *
   * @param blocks the block table, not copied
   * @param keptTokens how many tokens each lane keeps
   * @param kept for all lanes, or for each, the kept tokens, not copied; there may be more behind
   *     them
   */
  public TokenGather(
      int[] blocks, int lanes, int blockTokens, int rowBytes, int keptTokens, int[][] kept) {
    this.blocks = blocks;
    this.lanes = lanes;
    this.blockTokens = blockTokens;
    this.rowBytes = rowBytes;
    this.keptTokens = keptTokens;
    this.kept = kept;
  }

  private void checkOrder() {
    long tokens = (long) blocks.length * blockTokens;
    for (int set = 0; set < kept.length; set++) {
      int least = 0;
      for (int position : kept[set]) {
        if (position < least || position >= tokens) {
          throw new IllegalArgumentException(
              "kept position '%d' of lane '%d' must be from %d to %d"
                  .formatted(position, set, least, tokens - 1));
        }
        least = position + 1;
      }
    }
  }

  /** Returns the length of the block table. */
  public int blockCount() {
    return blocks.length;
  }

  /** Returns a block of the table. */
  public int block(int index) {
    return blocks[index];
  }

  /** Returns the number of lanes in a block. */
  public int lanes() {
    return lanes;
  }

  public int blockTokens() {
    return blockTokens;
  }

  /** Returns the size of one token's K, or V, in one lane: bytes, at least 1. */
  public int rowBytes() {
    return rowBytes;
  }

  /** Returns the size of a block. */
  public long blockBytes() {
    return 2L * lanes * blockTokens * rowBytes;
  }

  /**
   * Returns the number of different selections.
   *
   * @return 1 if all lanes keep the same tokens, else the lanes
   */
  public int sets() {
    return kept.length;
  }

  /** Returns how many tokens each lane keeps. */
  public int keptTokens() {
    return keptTokens;
  }

  /** Returns the position of a kept token. */
  public int kept(int lane, int index) {
    return kept(lane)[index];
  }

  /** Returns the positions of a lane's kept tokens; there may be more behind them. */
  int[] kept(int lane) {
    return kept[kept.length == 1 ? 0 : lane];
  }
}
