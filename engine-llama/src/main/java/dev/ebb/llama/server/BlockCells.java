package dev.ebb.llama.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The cells of llama.cpp behind the blocks of a pool. llama.cpp has no blocks: a cell holds one
 * token at one position, for a set of sequences, and is free when the last of them has removed it.
 *
 * <p>Each request gets a sequence of its own, called a branch. Its full blocks can be published
 * while it runs, and stay cached when it ends. They remain in their branch, which then exists for
 * them only. A request that matches cached blocks shares their cells: each run of positions is
 * added to its branch, nothing is copied. The pool decides which blocks are cached; the cells of a
 * freed block are removed when the block is used again, or at the next {@link #sweep}.
 *
 * <p>Invariants between two calls:
 *
 * <ol>
 *   <li>A block has at most one content: a page of one branch, which is the positions of that page.
 *   <li>A running branch has exactly the cells of its request: those of the matched pages, and
 *       those that it has computed. Only its published pages are contents of blocks.
 *   <li>An ended branch has the cells of the pages that are contents of blocks, and no others. The
 *       number of a branch without such pages is used again.
 *   <li>So the used cells are at most those of all blocks, and one for each running branch that
 *       computes the last token of a matched prompt again.
 * </ol>
 *
 * <p>Thread-safe. One thread calls {@link #open}, {@link #load}, {@link #grown}, {@link #close} and
 * {@link #sweep}; compaction calls {@link #moved} on any thread, for blocks that no open sequence
 * uses.
 */
final class BlockCells implements SequenceCells {

  /** The operations of llama.cpp on the cells of sequences. */
  interface Cells {

    /** Adds the cells at some positions of a sequence to another one. */
    void share(int owner, int other, int from, int to);

    /** Removes the cells at some positions from a sequence. */
    void remove(int owner, int from, int to);
  }

  /** A sequence of llama.cpp. */
  static final class Branch {
    private final int id;
    private int kept;
    private boolean running = true;

    Branch(int id) {
      this.id = id;
    }

    /** Returns its number in llama.cpp. */
    int id() {
      return id;
    }
  }

  /** A page of a branch. Compared by identity: each use of a block has an object of its own. */
  private static final class Content {
    final Branch branch;
    final int page;

    Content(Branch branch, int page) {
      this.branch = branch;
      this.page = page;
    }
  }

  private final Cells cells;
  private final int blockTokens;
  private final @Nullable Content[] contents;

  /** Contents of blocks that compaction has overwritten. */
  private final List<Content> overwritten = new ArrayList<>();

  private final Deque<Integer> freeIds = new ArrayDeque<>();
  private int nextId;

  BlockCells(Cells cells, int blocks, int blockTokens) {
    this.cells = cells;
    this.blockTokens = blockTokens;
    contents = new Content[blocks];
  }

  @Override
  public synchronized Branch open(int[] blocks, int matchedPages, int sharedTokens) {
    removeOverwritten();
    take(blocks, matchedPages);
    Branch branch = newBranch();
    for (int page = 0; page < matchedPages; ) {
      int first = page;
      Branch owner = content(blocks[page], page).branch;
      while (page < matchedPages && content(blocks[page], page).branch == owner) {
        page++;
      }
      int from = first * blockTokens;
      int to = Math.min(page * blockTokens, sharedTokens);
      if (from < to) {
        cells.share(owner.id, branch.id, from, to);
      }
    }
    return branch;
  }

  private Content content(int block, int page) {
    Content content = contents[block];
    if (content == null || content.page != page) {
      throw new IllegalStateException("block '%d' does not hold page '%d'".formatted(block, page));
    }
    return content;
  }

  @Override
  public synchronized void grown(int[] blocks, int from) {
    removeOverwritten();
    take(blocks, from);
  }

  /**
   * Returns the sequence that has the cells of a block, which holds a page.
   *
   * @return -1 before {@link #publish} has reported a block that the cache has already
   */
  synchronized int owner(int block, int page) {
    return contents[block] == null ? -1 : content(block, page).branch.id;
  }

  /**
   * Fills a block of a request that is being opened. The page has a branch of its own, which has
   * ended.
   *
   * @param filler copies the cells into a sequence; returns false if it cannot
   * @return whether they were copied
   */
  synchronized boolean load(int block, int page, IntPredicate filler) {
    removeOverwritten();
    drop(block);
    Branch branch = newBranch();
    branch.running = false;
    boolean filled = filler.test(branch.id);
    if (filled) {
      keep(branch, block, page);
    } else {
      recycle(branch);
    }
    return filled;
  }

  private Branch newBranch() {
    Integer freed = freeIds.poll();
    return new Branch(freed == null ? nextId++ : freed);
  }

  private void take(int[] blocks, int from) {
    for (int page = from; page < blocks.length; page++) {
      drop(blocks[page]);
    }
  }

  /**
   * Reports that the cache has blocks of a running branch. Other branches can share their cells
   * from now on. If another branch's block is in the place of its own, it shares those cells, and
   * its own become free.
   */
  @Override
  public synchronized void publish(Branch branch, int[] blocks, int from, int to) {
    for (int page = from; page < to; page++) {
      if (contents[blocks[page]] == null) {
        keep(branch, blocks[page], page);
      } else {
        Branch owner = content(blocks[page], page).branch;
        removePages(branch, page, page + 1);
        cells.share(owner.id, branch.id, page * blockTokens, (page + 1) * blockTokens);
      }
    }
  }

  private void keep(Branch branch, int block, int page) {
    contents[block] = new Content(branch, page);
    branch.kept++;
  }

  private void removePages(Branch branch, int from, int to) {
    if (from < to) {
      cells.remove(branch.id, from * blockTokens, to * blockTokens);
    }
  }

  /** Ends a branch, before the pool's blocks are released. Its full pages become contents. */
  @Override
  public synchronized void close(Branch branch, int[] blocks, int cachedPages, int computedTokens) {
    int full = Math.max(cachedPages, computedTokens / blockTokens);
    for (int page = cachedPages; page < full; page++) {
      keep(branch, blocks[page], page);
    }
    for (int page = 0; page < full; ) {
      int shared = page;
      while (page < full && content(blocks[page], page).branch != branch) {
        page++;
      }
      removePages(branch, shared, page);
      while (page < full && content(blocks[page], page).branch == branch) {
        page++;
      }
    }
    cells.remove(branch.id, full * blockTokens, Integer.MAX_VALUE);
    branch.running = false;
    recycle(branch);
  }

  /** Reports that compaction has moved a block to a free one. */
  synchronized void moved(int from, int to) {
    Content old = contents[to];
    if (old != null) {
      overwritten.add(old);
    }
    contents[to] = contents[from];
    contents[from] = null;
  }

  @Override
  public void sweep(Supplier<IntPredicate> freeBlocks) {
    @Nullable Content[] before = snapshot();
    IntPredicate free = freeBlocks.get();
    synchronized (this) {
      for (int block = 0; block < before.length; block++) {
        // A block that compaction has filled in between has another content.
        if (before[block] == contents[block] && free.test(block)) {
          drop(block);
        }
      }
    }
  }

  private synchronized @Nullable Content[] snapshot() {
    removeOverwritten();
    return contents.clone();
  }

  private void removeOverwritten() {
    overwritten.forEach(this::remove);
    overwritten.clear();
  }

  private void drop(int block) {
    Content content = contents[block];
    if (content != null) {
      contents[block] = null;
      remove(content);
    }
  }

  private void remove(Content content) {
    Branch branch = content.branch;
    int from = content.page * blockTokens;
    cells.remove(branch.id, from, from + blockTokens);
    branch.kept--;
    recycle(branch);
  }

  private void recycle(Branch branch) {
    if (!branch.running && branch.kept == 0) {
      freeIds.push(branch.id);
    }
  }

  @Override
  public synchronized int branches() {
    return nextId - freeIds.size();
  }
}
