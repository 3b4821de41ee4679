package dev.ebb.host.engine;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.host.tokens.signals.TokenSignals;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A request being served: its tokens so far, and the pages that hold their K and V. A page is the
 * blocks of all lane groups for the same {@code blockTokens} tokens.
 *
 * <p>The engine appends tokens to make room, writes their K and V under {@link #access}, and in the
 * end publishes what it has or gives it up. A sequence is used by one thread at a time. While no
 * access is open, a sequence of higher priority may take its memory: every call then throws {@link
 * SequenceStateException} with the state PREEMPTED.
 *
 * <p>With several devices a sequence is on one of them, and can be moved: {@link Ebb#migrate}.
 */
public final class Sequence implements AutoCloseable {

  final long id;
  final SequenceRequest asked;
  final BlockOwner owner;
  final KeyChain chain;
  private final Engine engine;

  // What follows is guarded by the engine's lock.

  SequenceState state = SequenceState.OPEN;
  @Nullable String preemptedBy;
  int matchedTokens;

  /** How far it is, and what of that is stored. */
  StoredTokens stored;

  /** What the last tokens to be dropped were dropped with. */
  @Nullable Pruning pruner;

  /** What is kept for token policies, once one of them needs anything. */
  @Nullable TokenSignals signals;

  /** When it was pruned before. */
  PruneHistory pruning = new PruneHistory();

  /** What it has on the device where it is. */
  SequenceBlocks home;

  /** Where a part of its prompt is copied from while it is opened. */
  @Nullable SequenceBlocks copiedFrom;

  @Nullable SequenceMigration migration;

  /** Whether it waits for room, or has just got it, so that it must stay on its device. */
  boolean appending;

  /** Accesses that are open, and operations under way: it must not be preempted. */
  int uses;

  Sequence(
      Engine engine,
      long id,
      SequenceRequest asked,
      KeyChain chain,
      DevicePartition partition,
      int pages) {
    this.engine = engine;
    this.id = id;
    this.asked = asked;
    this.chain = chain;
    owner = new BlockOwner("sequence " + id);
    stored = new StoredTokens(partition.layout().layers(), partition.layout().kvHeads());
    home = new SequenceBlocks(this, partition, pages);
    matchedTokens = home.matchedTokens();
  }

  /**
   * The sequence's number, for messages and reports.
   *
   * @return unique in this Ebb
   */
  public long id() {
    return id;
  }

  /**
   * What it is doing.
   *
   * @return as of now
   */
  public SequenceState state() {
    return engine.locked(
        () -> state == SequenceState.OPEN && migration != null ? SequenceState.MIGRATING : state);
  }

  /**
   * Where it is, or was when it ended.
   *
   * @return the device's name
   */
  public String device() {
    return engine.locked(() -> home.partition.name());
  }

  /**
   * Tokens so far, prompt and answer, dropped ones too: where the next token stands in the text.
   *
   * @return the position id of the next token
   */
  public int position() {
    return engine.locked(() -> stored.position());
  }

  /**
   * Tokens that are stored: the position until tokens are dropped. Where layers or KV heads keep
   * different numbers of tokens, the longest counts; {@link KvAccess#length} has each.
   *
   * @return rows in use
   */
  public int length() {
    return engine.locked(() -> stored.longest());
  }

  /**
   * The pool's memory that the sequence uses, shared blocks and reserved ones among them.
   *
   * @return bytes
   */
  public long bytes() {
    return engine.locked(() -> home.blocks() * home.partition.layout().blockBytes());
  }

  /**
   * Hands over the queries of the newest tokens, for a token policy that wants window attention.
   * Does nothing if none does.
   *
   * @param layer the layer
   * @param count how many tokens' queries
   * @param queries float32 {@code [queryHeads][count][headDim]}, rotated as the keys are
   * @throws IllegalArgumentException if the size or the layer is another one
   */
  public void observeQueries(int layer, int count, MemorySegment queries) {
    if (engine.signals.wanted()) {
      engine.signals.of(this).observeQueries(layer, count, queries);
    }
  }

  /**
   * Hands over the queries of the newest tokens as they are before their rotation, for a token
   * policy that wants their mean or covariance. Does nothing if none does. What the model
   * multiplies queries by beside the rotation, as YaRN does, is in them.
   *
   * @param layer the layer
   * @param count how many tokens' queries
   * @param queries float32 {@code [queryHeads][count][headDim]}, not rotated
   * @throws IllegalArgumentException if the size or the layer is another one
   */
  public void observeUnrotatedQueries(int layer, int count, MemorySegment queries) {
    if (engine.signals.wanted()) {
      engine.signals.of(this).observeUnrotatedQueries(layer, count, queries);
    }
  }

  /**
   * Hands over the attention of the newest tokens' queries, for a token policy that wants it. Does
   * nothing if none does.
   *
   * @param layer the layer
   * @param count how many tokens' queries
   * @param rows float32 {@code [queryHeads][count][length]} over the rows in use, zero where a
   *     query does not look; the length of the layer's longest lane
   * @throws IllegalArgumentException if the size or the layer is another one
   */
  public void observeAttention(int layer, int count, MemorySegment rows) {
    if (engine.signals.wanted()) {
      engine.signals.of(this).observeAttention(layer, count, rows);
    }
  }

  /**
   * Drops tokens and brings the others together, oldest first, so that rows 0 to {@link
   * KvAccess#length} - 1 are in use. What becomes free goes back to the pool. Blocks that others
   * share are copied before they are written. From now on the sequence is nobody's prefix: {@link
   * #finish} frees it.
   *
   * @param kept the tokens that stay; the lanes of a lane group keep equally many
   * @return what was dropped
   * @throws IllegalArgumentException if the sets are not as said
   * @throws OutOfBlocksException if a shared block must be copied and there is no room; nothing is
   *     dropped then
   * @throws DeviceException if the device failed; the sequence is aborted then
   * @throws SequenceStateException if it is not open any more
   * @throws IllegalStateException if an access is open
   */
  public PruneResult keep(KeptSets kept) {
    return Pruning.keep(engine, this, kept);
  }

  /**
   * Drops the oldest stored tokens of all lanes.
   *
   * @param tokens how many, 0 to the shortest lane's length
   * @return what was dropped
   * @throws OutOfBlocksException as {@link #keep}
   * @throws SequenceStateException if it is not open any more
   * @throws IllegalStateException if an access is open
   */
  public PruneResult prunePrefix(int tokens) {
    return Pruning.prefix(engine, this, tokens);
  }

  /**
   * Tokens from the front whose K and V were there when the sequence was opened, copied from
   * another device among them: whole blocks, so that an engine computes from here. All tokens may
   * have matched; an engine that needs the last one's output computes that without writing its K
   * and V again.
   *
   * @return 0 to the prompt's length
   */
  public int matchedTokens() {
    return engine.locked(() -> matchedTokens);
  }

  /**
   * Makes room for the K and V of further tokens: allocates blocks as needed, and copies the last
   * one if a fork shares it. All or nothing.
   *
   * @param tokens token ids
   * @throws OutOfBlocksException if there is no room
   * @throws SequenceStateException if it is not open any more
   */
  public void append(int... tokens) {
    engine.append(this, tokens);
  }

  /**
   * Opens a sequence with the same tokens that shares all blocks so far, written already, and goes
   * its own way from here. The block that is not full is copied by whoever appends first.
   *
   * @return the new sequence
   * @throws SequenceStateException if this one is not open any more
   */
  public Sequence fork() {
    return engine.fork(this);
  }

  /**
   * Opens the bytes to the engine. Until the access is closed, no block moves and the sequence is
   * not preempted. A migration of the sequence is cancelled.
   *
   * @return to be closed when the bytes are not in use any more
   * @throws SequenceStateException if the sequence is not open any more
   */
  public KvAccess access() {
    return engine.access(this, false);
  }

  /**
   * Opens the bytes for reading only. A migration of the sequence goes on, and completes when the
   * access is closed.
   *
   * @return to be closed when the bytes are not in use any more
   * @throws SequenceStateException if the sequence is not open any more
   */
  public KvAccess reading() {
    return engine.access(this, true);
  }

  /**
   * The blocks of lane group 0, front to back. Their numbers are valid while an access is open.
   *
   * @return block numbers, a copy
   * @throws SequenceStateException if the sequence is not open any more
   */
  public int[] blockTable() {
    return blockTable(0);
  }

  /**
   * The blocks of a lane group, front to back. Their numbers are valid while an access is open.
   *
   * @param laneGroup 0 to {@code laneGroups - 1}
   * @return block numbers, a copy
   * @throws SequenceStateException if the sequence is not open any more
   */
  public int[] blockTable(int laneGroup) {
    return engine.locked(() -> {
      checkOpen();
      return home.table.group(laneGroup);
    });
  }

  /**
   * Ends the sequence and publishes its full blocks, prompt and answer, for others to share. K and
   * V of all tokens must have been written. A pruned sequence is freed and not published.
   *
   * @throws SequenceStateException if it is not open any more
   */
  public void finish() {
    engine.finish(this, () -> stored.position());
  }

  /**
   * Ends the sequence and publishes the full blocks of its first tokens.
   *
   * @param writtenTokens tokens from the front whose K and V have been written, 0 to the length
   * @throws SequenceStateException if it is not open any more
   */
  public void finish(int writtenTokens) {
    engine.finish(this, () -> writtenTokens);
  }

  /**
   * Ends the sequence and releases all that it does not share.
   *
   * @throws SequenceStateException if it is not open any more
   */
  public void abort() {
    engine.abort(this);
  }

  /** Aborts the sequence, unless it is over. */
  @Override
  public void close() {
    engine.close(this);
  }

  void checkOpen() {
    if (state != SequenceState.OPEN) {
      throw new SequenceStateException(
          state == SequenceState.PREEMPTED
              ? "sequence '%d' was preempted by %s; open it anew".formatted(id, preemptedBy)
              : "sequence '%d' is '%s'; open another one".formatted(id, state),
          state);
    }
  }

  void checkNotInUse(String what) {
    if (uses > 0) {
      throw new IllegalStateException(
          "sequence '%d' cannot be %s: '%d' accesses are open; close them first"
              .formatted(id, what, uses));
    }
  }

  int checkWritten(int tokens) {
    if (tokens < 0 || tokens > stored.position()) {
      throw new IllegalArgumentException(
          "written tokens '%d' of sequence '%d' must be from 0 to its length %d"
              .formatted(tokens, id, stored.position()));
    }
    return tokens;
  }

  int priority() {
    return asked.facts().priority();
  }

  @Override
  public String toString() {
    return owner.name();
  }
}
