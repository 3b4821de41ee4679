package dev.ebb.host.reuse;

import it.unimi.dsi.fastutil.ints.IntArrayList;

/**
 * The blocks of all requests in the order of an LRU cache, without a limit: a block's reuse
 * distance is its place in that order, 1 for the last used.
 *
 * <p>A request uses its first block last. So the blocks that no later request used are always the
 * end of a prompt, and a number per request is enough. Numbers requests and blocks from 0.
 */
public final class ReuseStack {

  /** No request or block. */
  public static final int NONE = -1;

  private final FenwickTree blocksLeft = new FenwickTree();
  private final IntArrayList left = new IntArrayList();
  private final IntArrayList lengths = new IntArrayList();
  private final IntArrayList older = new IntArrayList();
  private final IntArrayList newer = new IntArrayList();
  private final IntArrayList users = new IntArrayList();
  private final IntArrayList uses = new IntArrayList();
  private int newest = NONE;

  /** Creates an empty order. */
  public ReuseStack() {}

  /** Returns how many requests were added. */
  public int requests() {
    return lengths.size();
  }

  /** Returns how many blocks were added. */
  public int blocks() {
    return users.size();
  }

  /** Adds a block that the next request uses. */
  public int addBlock() {
    users.add(NONE);
    uses.add(0);
    return users.size() - 1;
  }

  /** Returns the number of the request that used a block last. */
  public int lastUser(int block) {
    return users.getInt(block);
  }

  /** Returns how many requests used a block. */
  public int uses(int block) {
    return uses.getInt(block);
  }

  /** Returns how many blocks a request has. */
  public int length(int request) {
    return lengths.getInt(request);
  }

  /** Returns how many blocks at the front of a request a later request has used. */
  public int reused(int request) {
    return lengths.getInt(request) - left.getInt(request);
  }

  /** Returns how many different blocks were used after a request. */
  public long usedAfter(int request) {
    return blocksLeft.total() - blocksLeft.sum(request + 1);
  }

  /**
   * Returns the reuse distance of a block.
   *
   * @param request the request that used it last
   * @param depth the block's place in it, from 1
   */
  public long distance(int request, int depth) {
    return usedAfter(request) + depth - reused(request);
  }

  /**
   * Returns the last user of the block at a distance; of the farthest block, if there are fewer.
   */
  public int requestAt(long distance) {
    long total = blocksLeft.total();
    return total == 0 ? NONE : blocksLeft.find(Math.max(1, total - distance + 1));
  }

  /** Returns the closest earlier request that used a block last, or {@link #NONE}. */
  public int older(int request) {
    return older.getInt(request);
  }

  /** Returns the closest later request that used a block last, or {@link #NONE}. */
  public int newer(int request) {
    return newer.getInt(request);
  }

  /** Adds a request: the blocks of its prompt, front to back. */
  public void add(int[] prompt, int length) {
    int request = lengths.size();
    int user = NONE;
    int moved = 0;
    for (int i = 0; i < length; i++) {
      int block = prompt[i];
      int last = users.getInt(block);
      if (last != user) {
        take(user, moved);
        user = last;
        moved = 0;
      }
      moved++;
      users.set(block, request);
      uses.set(block, uses.getInt(block) + 1);
    }
    take(user, moved);
    lengths.add(length);
    left.add(length);
    older.add(newest);
    newer.add(NONE);
    if (length > 0) {
      if (newest != NONE) {
        newer.set(newest, request);
      }
      newest = request;
      blocksLeft.add(request, length);
    }
  }

  private void take(int request, int blocks) {
    if (request == NONE) {
      return;
    }
    blocksLeft.add(request, -blocks);
    int remaining = left.getInt(request) - blocks;
    left.set(request, remaining);
    if (remaining == 0) {
      unlink(request);
    }
  }

  private void unlink(int request) {
    int before = older.getInt(request);
    int after = newer.getInt(request);
    if (before != NONE) {
      newer.set(before, after);
    }
    if (after == NONE) {
      newest = before;
    } else {
      older.set(after, before);
    }
  }
}
