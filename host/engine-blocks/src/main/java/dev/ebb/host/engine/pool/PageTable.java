package dev.ebb.host.engine.pool;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;

/**
 * A sequence's blocks, front to back, for each lane group. A page is the blocks of all lane groups
 * for the same rows; pages behind the shortest group's last row are incomplete.
 */
public final class PageTable {

  /** In place of a block that its lane group does not attend to any more. */
  public static final int NONE = -1;

  private final int[][] blocks;
  private final int[] pages;

  /** By group: shared pages from the front, which must not be written. */
  private final int[] shared;

  private int size;

  public PageTable(int groups) {
    blocks = new int[groups][8];
    pages = new int[groups];
    shared = new int[groups];
  }

  public int groups() {
    return pages.length;
  }

  public int pages() {
    return largest(pages);
  }

  public int pages(int group) {
    return pages[group];
  }

  /** Returns the number of pages of which at least one block must not be written. */
  public int shared() {
    return largest(shared);
  }

  private static int largest(int[] counts) {
    int largest = 0;
    for (int count : counts) {
      largest = Math.max(largest, count);
    }
    return largest;
  }

  public int shared(int group) {
    return shared[group];
  }

  /** Sets how many of a group's pages are shared. */
  public void share(int group, int count) {
    shared[group] = count;
  }

  public void shareAll() {
    System.arraycopy(pages, 0, shared, 0, shared.length);
  }

  /** Returns the number of blocks of all groups, without those that have left. */
  public int size() {
    return size;
  }

  public int block(int page, int group) {
    if (group < 0 || group >= pages.length || page < 0 || page >= pages[group]) {
      throw new IndexOutOfBoundsException(
          "page '%d' must be from 0 to %d, lane group '%d' from 0 to %d"
              .formatted(
                  page,
                  (group < 0 || group >= pages.length ? pages() : pages[group]) - 1,
                  group,
                  pages.length - 1));
    }
    return blocks[group][page];
  }

  /** Returns the block of each group in a page. */
  public int[] page(int page) {
    int[] each = new int[pages.length];
    for (int group = 0; group < each.length; group++) {
      each[group] = block(page, group);
    }
    return each;
  }

  public void add(int group, int block) {
    if (pages[group] == blocks[group].length) {
      blocks[group] = Arrays.copyOf(blocks[group], pages[group] * 2);
    }
    blocks[group][pages[group]++] = block;
    size += block == NONE ? 0 : 1;
  }

  public void set(int page, int group, int block) {
    blocks[group][page] = block;
  }

  /** Returns whether a group has the block of a page. */
  public boolean has(int page, int group) {
    return page < pages[group] && blocks[group][page] != NONE;
  }

  /** Removes a block that its group does not attend to any more. */
  public void leave(int page, int group) {
    blocks[group][page] = NONE;
    size--;
  }

  /** Returns the blocks of each group, followed by meaningless values: not a copy. */
  public int[][] blocks() {
    return blocks;
  }

  /** Returns how many blocks each group has: not a copy. */
  public int[] counts() {
    return pages;
  }

  /** Returns a copy of one group's blocks. */
  public int[] group(int group) {
    if (group < 0 || group >= blocks.length) {
      throw new IndexOutOfBoundsException(
          "lane group '%d' must be from 0 to %d".formatted(group, blocks.length - 1));
    }
    return Arrays.copyOf(blocks[group], pages[group]);
  }

  /**
   * Returns a copy of the blocks from a page on: page after page, in each the groups that have it.
   */
  public int[] from(int first) {
    int[] all = new int[size()];
    int count = 0;
    for (int page = first; page < pages(); page++) {
      for (int group = 0; group < pages.length; group++) {
        if (has(page, group)) {
          all[count++] = blocks[group][page];
        }
      }
    }
    return Arrays.copyOf(all, count);
  }

  /** Cuts a group off after so many pages; the caller frees the blocks behind. */
  public void cut(int group, int count) {
    size -= pages[group] - count;
    pages[group] = count;
    shared[group] = Math.min(shared[group], count);
  }

  public void forEach(IntConsumer user) {
    for (int group = 0; group < pages.length; group++) {
      for (int page = 0; page < pages[group]; page++) {
        if (has(page, group)) {
          user.accept(blocks[group][page]);
        }
      }
    }
  }

  public void replaceAll(IntUnaryOperator moved) {
    for (int group = 0; group < pages.length; group++) {
      for (int page = 0; page < pages[group]; page++) {
        if (has(page, group)) {
          blocks[group][page] = moved.applyAsInt(blocks[group][page]);
        }
      }
    }
  }

  public void clear() {
    size = 0;
    Arrays.fill(pages, 0);
    Arrays.fill(shared, 0);
  }
}
