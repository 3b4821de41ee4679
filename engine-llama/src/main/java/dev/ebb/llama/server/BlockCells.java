package dev.ebb.llama.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cells of running requests. The pool keeps the K and V of each cached block, and llama.cpp's
 * cells only those of running requests, because attention passes over all cells up to the last used
 * one.
 *
 * <p>Each running request has a sequence of llama.cpp, called a branch. A branch gets a matched
 * block from a running branch that has its cells, and else a copy from the pool. Full blocks are
 * copied into the pool before they are published, and when the branch ends.
 *
 * <p>Invariants between two calls:
 *
 * <ol>
 *   <li>A branch has exactly the cells of its request: those of the matched pages, and those that
 *       it has computed.
 *   <li>The cells of a block are in llama.cpp once, for all branches that hold it. A branch does
 *       not hold a matched page whose last token it computes again.
 *   <li>So the used cells are at most those of the blocks that running requests use, and a block
 *       for each of them.
 * </ol>
 *
 * <p>Used by the engine's thread.
 */
final class BlockCells implements SequenceCells {

  /** The operations on the cells of branches. */
  interface Cells {

    /** Adds the cells at some positions of a branch to another one. */
    void share(int owner, int other, int from, int to);

    /** Removes the cells at some positions from a branch. */
    void remove(int owner, int from, int to);

    /** Copies the cells at some positions of a branch into the pool. */
    void save(int owner, int[] blocks, int from, int to);

    /** Copies some positions from the pool into new cells of a branch. */
    void restore(int owner, int[] blocks, int from, int to);
  }

  /** A sequence of llama.cpp. */
  static final class Branch {
    private final int id;
    private final List<Integer> held = new ArrayList<>();

    Branch(int id) {
      this.id = id;
    }

    int id() {
      return id;
    }
  }

  private final Cells cells;
  private final int blockTokens;

  /** By block, the running branches that have its cells. */
  private final @Nullable List<Branch>[] holders;

  private final Deque<Integer> freeIds = new ArrayDeque<>();
  private int nextId;

  @SuppressWarnings({"unchecked", "rawtypes"})
  BlockCells(Cells cells, int blocks, int blockTokens) {
    this.cells = cells;
    this.blockTokens = blockTokens;
    holders = new List[blocks];
  }

  @Override
  public Branch open(int[] blocks, int matchedPages, int sharedTokens) {
    Integer freed = freeIds.poll();
    Branch branch = new Branch(freed == null ? nextId++ : freed);
    for (int page = 0; page < matchedPages; ) {
      int from = page * blockTokens;
      Branch holder = holder(blocks[page]);
      do {
        page++;
      } while (page < matchedPages && holder(blocks[page]) == holder);
      int to = Math.min(page * blockTokens, sharedTokens);
      if (holder != null && from < to) {
        cells.share(holder.id, branch.id, from, to);
      } else if (from < to) {
        cells.restore(branch.id, blocks, from, to);
      }
    }
    for (int page = 0; page < sharedTokens / blockTokens; page++) {
      hold(branch, blocks[page]);
    }
    return branch;
  }

  private @Nullable Branch holder(int block) {
    List<Branch> branches = holders[block];
    return branches == null ? null : branches.getFirst();
  }

  private void hold(Branch branch, int block) {
    List<Branch> branches = holders[block];
    if (branches == null) {
      branches = new ArrayList<>(1);
      holders[block] = branches;
    }
    branches.add(branch);
    branch.held.add(block);
  }

  @Override
  public void save(Branch branch, int[] blocks, int from, int to) {
    if (from < to) {
      cells.save(branch.id, blocks, from * blockTokens, to * blockTokens);
    }
  }

  /**
   * Reports that the cache has blocks of a branch. If it has another branch's block in the place of
   * its own, it shares those cells, and its own become free.
   */
  @Override
  public void publish(Branch branch, int[] blocks, int from, int to) {
    for (int page = from; page < to; page++) {
      Branch holder = holder(blocks[page]);
      if (holder != null) {
        int first = page * blockTokens;
        cells.remove(branch.id, first, first + blockTokens);
        cells.share(holder.id, branch.id, first, first + blockTokens);
      }
      hold(branch, blocks[page]);
    }
  }

  @Override
  public void close(Branch branch, int[] blocks, int cachedPages, int computedTokens) {
    save(branch, blocks, cachedPages, computedTokens / blockTokens);
    cells.remove(branch.id, 0, Integer.MAX_VALUE);
    for (int block : branch.held) {
      List<Branch> branches = holders[block];
      if (branches != null && branches.remove(branch) && branches.isEmpty()) {
        holders[block] = null;
      }
    }
    freeIds.push(branch.id);
  }

  @Override
  public int branches() {
    return nextId - freeIds.size();
  }
}
