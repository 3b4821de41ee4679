package dev.ebb.host.engine;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * A sequence's blocks, front to back. A page is the blocks of all lane groups for the same tokens.
 */
final class PageTable {

  private final int groups;
  private int[] blocks;
  private int size;

  PageTable(int groups) {
    this.groups = groups;
    blocks = new int[8 * groups];
  }

  /** Pages that the table has. */
  int pages() {
    return size / groups;
  }

  /** Blocks that the table has: of all groups. */
  int size() {
    return size;
  }

  int at(int index) {
    return blocks[index];
  }

  int block(int page, int group) {
    if (page < 0 || page >= pages() || group < 0 || group >= groups) {
      throw new IndexOutOfBoundsException(
          "page '%d' must be from 0 to %d, lane group '%d' from 0 to %d"
              .formatted(page, pages() - 1, group, groups - 1));
    }
    return blocks[page * groups + group];
  }

  /** Appends a block; pages are appended whole. */
  void add(int block) {
    if (size == blocks.length) {
      blocks = Arrays.copyOf(blocks, size * 2);
    }
    blocks[size++] = block;
  }

  void set(int index, int block) {
    blocks[index] = block;
  }

  /** One group's blocks, a copy. */
  int[] group(int group) {
    int[] table = new int[pages()];
    for (int page = 0; page < table.length; page++) {
      table[page] = block(page, group);
    }
    return table;
  }

  /** Blocks from a page on, a copy. */
  int[] from(int page) {
    return Arrays.copyOfRange(blocks, page * groups, size);
  }

  void replaceAll(IntUnaryOperator moved) {
    for (int i = 0; i < size; i++) {
      blocks[i] = moved.applyAsInt(blocks[i]);
    }
  }

  void clear() {
    size = 0;
  }
}
