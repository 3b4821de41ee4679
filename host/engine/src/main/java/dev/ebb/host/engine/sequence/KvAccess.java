package dev.ebb.host.engine.sequence;

import dev.ebb.host.engine.pool.PageTable;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.foreign.MemorySegment;

/**
 * The engine's access to a sequence's bytes. Lanes are numbered consecutively: KV head {@code h} of
 * layer {@code l} is lane {@code l * kvHeads + h}. In a page a lane has {@code blockTokens} rows of
 * {@code headDim} elements for K and as many for V.
 *
 * <p>Several threads may read and write different bytes of one access. Segments and addresses are
 * valid until the access is closed or the sequence grows.
 */
public final class KvAccess implements AutoCloseable {

  private final Engine engine;
  private final Sequence sequence;
  private final SequenceBlocks held;
  private final boolean readOnly;
  private final KvLayout layout;
  private final KvPool pool;
  private boolean closed;

  KvAccess(Engine engine, Sequence sequence, SequenceBlocks held, boolean readOnly) {
    this.engine = engine;
    this.sequence = sequence;
    this.held = held;
    this.readOnly = readOnly;
    pool = held.partition.pool;
    layout = pool.layout();
  }

  /** Returns the device of the bytes, as long as the access is open. */
  public String device() {
    return held.partition.name();
  }

  /**
   * Returns the number of pages that the sequence has now.
   *
   * @return those for its rows; of a pruned sequence as many as the longest lane group has
   */
  public int pages() {
    return held.table.pages();
  }

  /**
   * Returns the number of rows of a lane that are in use. Row r is r tokens behind the start of the
   * first page; the last {@link Sequence#append} made the last rows. Until tokens are dropped this
   * is {@link Sequence#position}.
   */
  public int length(int lane) {
    StoredTokens stored = sequence.stored;
    return stored.length(stored.setOf(checkLane(lane)));
  }

  /**
   * Returns the text position of the token in each row, which is baked into its key. Attention over
   * all rows in use needs no order among them.
   */
  public int[] positions(int lane) {
    StoredTokens stored = sequence.stored;
    return stored.positionsByRow(stored.setOf(checkLane(lane)));
  }

  /**
   * Returns whether a page may be written in all lanes: it is not shared, and not opened for
   * reading only.
   */
  public boolean writable(int page) {
    return !readOnly && page >= held.table.shared();
  }

  /**
   * Returns whether a lane's rows in a page may be written. Of a pruned sequence a page can be
   * shared in one lane group and its own in another.
   */
  public boolean writable(int lane, int page) {
    return !readOnly && page >= held.table.shared(checkLane(lane) / layout.lanes());
  }

  /**
   * Returns the keys of a lane, if the JVM can reach them.
   *
   * @return {@code blockTokens} rows; read-only if the page is not {@link #writable}
   * @throws UnsupportedOperationException if the pool is on a GPU: use addresses
   */
  public MemorySegment keys(int lane, int page) {
    return rows(lane, page, false);
  }

  /**
   * Returns the values of a lane, if the JVM can reach them.
   *
   * @return {@code blockTokens} rows; read-only if the page is not {@link #writable}
   * @throws UnsupportedOperationException if the pool is on a GPU: use addresses
   */
  public MemorySegment values(int lane, int page) {
    return rows(lane, page, true);
  }

  /**
   * Returns the device address of a lane's keys; for reading unless the page is {@link #writable}.
   */
  public long keyAddress(int lane, int page) {
    return pool.memory().address(block(lane, page)) + offset(lane, false);
  }

  /** Returns the device address of a lane's values, under the same rule. */
  public long valueAddress(int lane, int page) {
    return pool.memory().address(block(lane, page)) + offset(lane, true);
  }

  /** Returns whether the JVM can reach the bytes. */
  boolean reachable() {
    return pool.memory().slab().segment().isPresent();
  }

  /** Reads the first rows of a lane's keys or values, wherever they are. */
  void read(int lane, int page, boolean value, MemorySegment target) {
    pool.memory().read(block(lane, page), offset(lane, value), target);
  }

  /** Writes the first rows of a lane's keys or values, wherever they are, to a writable page. */
  void write(int lane, int page, boolean value, MemorySegment source) {
    pool.memory().write(block(lane, page), offset(lane, value), source);
  }

  /** Ends the use of the bytes. Closing twice does nothing. */
  @Override
  public void close() {
    engine.exclusively(() -> {
      if (!closed) {
        closed = true;
        engine.endUse(sequence);
      }
    });
  }

  private MemorySegment rows(int lane, int page, boolean value) {
    int block = block(lane, page);
    MemorySegment rows =
        pool.memory()
            .segment(block)
            .orElseThrow(() ->
                new UnsupportedOperationException(
                    "blocks on '%s' have no segments; use keyAddress and valueAddress"
                        .formatted(pool.device().name())))
            .asSlice(offset(lane, value), (long) layout.blockTokens() * layout.rowBytes());
    return writable(lane, page) ? rows : rows.asReadOnly();
  }

  private int block(int lane, int page) {
    if (closed) {
      throw new IllegalStateException(
          "the access to sequence '%d' is closed; open another one".formatted(sequence.id));
    }
    int group = checkLane(lane) / layout.lanes();
    int block = held.table.block(page, group);
    if (block == PageTable.NONE) {
      throw new IllegalStateException(
          "page '%d' has left the window of lane group '%d'".formatted(page, group));
    }
    return block;
  }

  private int checkLane(int lane) {
    if (lane < 0 || lane >= layout.layers() * layout.kvHeads()) {
      throw new IndexOutOfBoundsException(
          "lane '%d' must be from 0 to %d".formatted(lane, layout.layers() * layout.kvHeads() - 1));
    }
    return lane;
  }

  private int offset(int lane, boolean value) {
    return layout.rowOffset(lane % layout.lanes(), value, 0);
  }
}
