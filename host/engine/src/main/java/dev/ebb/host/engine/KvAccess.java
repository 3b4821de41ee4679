package dev.ebb.host.engine;

import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.foreign.MemorySegment;

/**
 * A sequence's bytes, open to the engine. Lanes are numbered through: KV head {@code h} of layer
 * {@code l} is lane {@code l * kvHeads + h}. In a page a lane has {@code blockTokens} rows of
 * {@code headDim} elements for K and as many for V.
 *
 * <p>Several threads may read and write different bytes of one access. Segments and addresses are
 * valid until the access is closed or the sequence grows.
 */
public final class KvAccess implements AutoCloseable {

  private final Engine engine;
  private final Sequence sequence;
  private final SequenceBlocks holding;
  private final boolean readOnly;
  private final KvLayout layout;
  private final KvPool pool;
  private boolean closed;

  KvAccess(Engine engine, Sequence sequence, SequenceBlocks holding, boolean readOnly) {
    this.engine = engine;
    this.sequence = sequence;
    this.holding = holding;
    this.readOnly = readOnly;
    pool = holding.partition.pool;
    layout = pool.layout();
  }

  /**
   * Where the bytes are, as long as the access is open.
   *
   * @return the device's name
   */
  public String device() {
    return holding.partition.name();
  }

  /**
   * Pages that the sequence has now.
   *
   * @return those for its rows; of a pruned sequence as many as the longest lane group has
   */
  public int pages() {
    return holding.table.pages();
  }

  /**
   * Rows of a lane that are in use. A row is as many tokens behind the first page's beginning; the
   * last {@link Sequence#append} made the last rows. Until tokens are dropped this is {@link
   * Sequence#position}.
   *
   * @param lane the lane
   * @return the lane's length
   */
  public int length(int lane) {
    StoredTokens stored = sequence.stored;
    return stored.length(stored.setOf(checkLane(lane)));
  }

  /**
   * Which token lies in which row: its place in the text, which is baked into its key. Attention
   * over all rows in use needs no order among them.
   *
   * @param lane the lane
   * @return positions by row, a copy
   */
  public int[] positions(int lane) {
    StoredTokens stored = sequence.stored;
    return stored.positionsByRow(stored.setOf(checkLane(lane)));
  }

  /**
   * Whether a page may be written in all lanes: it is this sequence's alone, and not opened for
   * reading only.
   *
   * @param page 0 to {@code pages() - 1}
   * @return false if it must not be written
   */
  public boolean writable(int page) {
    return !readOnly && page >= holding.table.shared();
  }

  /**
   * Whether a lane's rows in a page may be written. Of a pruned sequence a page can be shared in
   * one lane group and its own in another.
   *
   * @param lane the lane
   * @param page 0 to {@code pages() - 1}
   * @return false if they must not be written
   */
  public boolean writable(int lane, int page) {
    return !readOnly && page >= holding.table.shared(checkLane(lane) / layout.lanes());
  }

  /**
   * The keys of a lane, where the JVM can reach them.
   *
   * @param lane the lane
   * @param page 0 to {@code pages() - 1}
   * @return {@code blockTokens} rows; read-only if the page is not {@link #writable}
   * @throws UnsupportedOperationException if the pool is on a GPU: use addresses
   */
  public MemorySegment keys(int lane, int page) {
    return rows(lane, page, false);
  }

  /**
   * The values of a lane, where the JVM can reach them.
   *
   * @param lane the lane
   * @param page 0 to {@code pages() - 1}
   * @return {@code blockTokens} rows; read-only if the page is not {@link #writable}
   * @throws UnsupportedOperationException if the pool is on a GPU: use addresses
   */
  public MemorySegment values(int lane, int page) {
    return rows(lane, page, true);
  }

  /**
   * Where the keys of a lane begin, in the device's address space.
   *
   * @param lane the lane
   * @param page 0 to {@code pages() - 1}
   * @return a pointer; for reading only if the page is not {@link #writable}
   */
  public long keyAddress(int lane, int page) {
    return pool.memory().address(block(lane, page)) + offset(lane, false);
  }

  /**
   * Where the values of a lane begin, in the device's address space.
   *
   * @param lane the lane
   * @param page 0 to {@code pages() - 1}
   * @return a pointer; for reading only if the page is not {@link #writable}
   */
  public long valueAddress(int lane, int page) {
    return pool.memory().address(block(lane, page)) + offset(lane, true);
  }

  /** Says that the bytes are not in use any more. Closing twice does nothing. */
  @Override
  public void close() {
    engine.closeAccess(sequence, this);
  }

  /** Whether this call closes it; under the engine's lock. */
  boolean closing() {
    boolean first = !closed;
    closed = true;
    return first;
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
    return holding.table.block(page, checkLane(lane) / layout.lanes());
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
