package dev.ebb.host.objects;

import java.util.Arrays;

/** What each block of a part of the store is used for. */
public final class MemoryMap {

  private final MemoryUse[] uses;
  private final String name;

  MemoryMap(String name, int blocks) {
    this.name = name;
    uses = new MemoryUse[blocks];
    Arrays.fill(uses, MemoryUse.PASSING);
  }

  void set(int block, MemoryUse use) {
    uses[block] = use;
  }

  /**
   * Which part it is.
   *
   * @return its name
   */
  public String name() {
    return name;
  }

  /**
   * How many blocks there are.
   *
   * @return free or not
   */
  public int blocks() {
    return uses.length;
  }

  /**
   * What a block is used for.
   *
   * @param block its number
   * @return the use
   */
  public MemoryUse use(int block) {
    return uses[block];
  }

  /** Marks the blocks of a value. */
  void mark(StoredValue value) {
    MemoryUse use =
        !value.pins.isEmpty()
            ? MemoryUse.PINNED
            : value.readers > 0 ? MemoryUse.READING : MemoryUse.VALUE;
    for (int block : value.bytes.blocks) {
      uses[block] = use;
    }
  }

  /**
   * The memory of a part in numbers.
   *
   * @param name the part
   * @param blocks how many it has
   * @param freeBlocks how many nobody has
   * @param smallBlocks how many small values share
   * @param blockBytes the size of one
   * @param largestFreeRun the longest run of free ones
   */
  public record Summary(
      String name,
      int blocks,
      int freeBlocks,
      int smallBlocks,
      int blockBytes,
      int largestFreeRun) {}
}
