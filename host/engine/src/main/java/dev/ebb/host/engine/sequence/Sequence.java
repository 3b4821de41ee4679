package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.prune.PruneHistory;
import dev.ebb.host.engine.prune.PruneResult;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.host.engine.tier.OffloadedSequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.host.tokens.signals.TokenSignals;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request being served: its tokens so far, and the pages that hold their K and V. A page is the
 * blocks of all lane groups for the same {@code blockTokens} tokens.
 *
 * <p>The engine appends tokens to make room, writes their K and V under {@link #access}, and in the
 * end finishes or aborts the sequence. A sequence is used by one thread at a time. While no access
 * is open, a sequence of higher priority may take its memory. Every call then throws {@link
 * SequenceStateException} with the state PREEMPTED. {@link Ebb#resume} opens it again. After its
 * end, calls that need its memory throw it, too.
 *
 * <p>A sequence is on one device, and can be moved to another: {@link Ebb#migrate}.
 */
public final class Sequence implements AutoCloseable {

  final long id;
  final SequenceRequest asked;
  final BlockOwner owner;
  final KeyChain chain;
  final Engine engine;

  // The following fields are guarded by the engine's lock.

  SequenceState state = SequenceState.OPEN;
  @Nullable String preemptedBy;
  int matchedTokens;

  int diskTokens;
  int remoteTokens;
  long evictions;

  /** How many leading tokens have K and V, as far as the engine has reported it. */
  int writtenTokens;

  /** Its K and V on a server, after it was preempted. */
  @Nullable OffloadedSequence offloaded;

  /** Its position, and the tokens that are stored. */
  StoredTokens stored;

  /** The pruner of the last tokens to be dropped. */
  @Nullable Pruning pruner;

  /** The signals for token policies, once one of them needs any. */
  @Nullable TokenSignals signals;

  PruneHistory pruning = new PruneHistory();

  /** Its blocks on its current device. */
  SequenceBlocks home;

  /** The source of the copied part of its prompt, while it is opened. */
  @Nullable SequenceBlocks copiedFrom;

  @Nullable SequenceMigration migration;

  /** Whether it waits for room, or has just got it, so that it must stay on its device. */
  boolean appending;

  /** Open accesses and current operations: while there are any it must not be preempted. */
  int uses;

  Sequence(
      Engine engine,
      long id,
      SequenceRequest asked,
      KeyChain chain,
      DevicePartition partition,
      int pages,
      List<CacheRequest> waiting) {
    this.engine = engine;
    this.id = id;
    this.asked = asked;
    this.chain = chain;
    owner = new BlockOwner("sequence " + id);
    stored = new StoredTokens(partition.layout().layers(), partition.layout().kvHeads());
    home = new SequenceBlocks(this, partition, pages, waiting);
    matchedTokens = home.matchedTokens();
    writtenTokens = matchedTokens;
  }

  /** Returns the sequence's number, for messages and reports; unique in this Ebb. */
  public long id() {
    return id;
  }

  public SequenceState state() {
    return engine.locked(
        () -> state == SequenceState.OPEN && migration != null ? SequenceState.MIGRATING : state);
  }

  /** Returns its device, or its last one after its end. */
  public String device() {
    return engine.locked(() -> home.partition.name());
  }

  /** Returns the number of tokens so far, prompt and answer, including dropped ones. */
  public int position() {
    return engine.locked(() -> stored.position());
  }

  /**
   * Returns the number of stored tokens: the position until tokens are dropped. If layers or KV
   * heads keep different numbers of tokens, the longest counts; {@link KvAccess#length} has each.
   */
  public int length() {
    return engine.locked(() -> stored.longest());
  }

  /** Returns the bytes of the pool that it uses, including shared and reserved blocks. */
  public long bytes() {
    return engine.locked(() -> home.blocks() * home.partition.layout().blockBytes());
  }

  /**
   * Provides the queries of the newest tokens for token policies with window attention; otherwise
   * does nothing.
   *
   * @param queries float32 {@code [queryHeads][count][headDim]}, rotated as the keys are
   * @throws IllegalArgumentException if the size or the layer is wrong
   */
  public void observeQueries(int layer, int count, MemorySegment queries) {
    if (engine.signals.wanted()) {
      engine.signals.of(this).observeQueries(layer, count, queries);
    }
  }

  /**
   * Provides the unrotated queries of the newest tokens for token policies with their mean or
   * covariance; otherwise does nothing. They include any factor that the model applies beside the
   * rotation, as in YaRN.
   *
   * @param queries float32 {@code [queryHeads][count][headDim]}, not rotated
   */
  public void observeUnrotatedQueries(int layer, int count, MemorySegment queries) {
    if (engine.signals.wanted()) {
      engine.signals.of(this).observeUnrotatedQueries(layer, count, queries);
    }
  }

  /**
   * Provides the attention of the newest tokens' queries for token policies that need it; otherwise
   * does nothing.
   *
   * @param rows float32 {@code [queryHeads][count][length]} over the rows in use, zero where a
   *     query does not attend; the length of the layer's longest lane
   */
  public void observeAttention(int layer, int count, MemorySegment rows) {
    if (engine.signals.wanted()) {
      engine.signals.of(this).observeAttention(layer, count, rows);
    }
  }

  /**
   * Drops tokens and closes the gaps, oldest first, so that rows 0 to {@link KvAccess#length} - 1
   * are in use. Freed blocks return to the pool. Shared blocks are copied before they are written.
   * From now on the sequence is never shared as a prefix: {@link #finish} frees it.
   *
   * @param kept the kept tokens; the lanes of a lane group keep equally many
   * @throws IllegalArgumentException if the sets are invalid
   * @throws OutOfBlocksException if a shared block must be copied and there is no room; nothing is
   *     dropped then
   * @throws DeviceException if the device failed; the sequence is aborted then
   * @throws IllegalStateException if an access is open
   */
  public PruneResult keep(KeptSets kept) {
    return Pruning.keep(engine, this, kept);
  }

  /** Drops the oldest tokens of all lanes as {@link #keep} does, at most the shortest lane's. */
  public PruneResult prunePrefix(int tokens) {
    return Pruning.prefix(engine, this, tokens);
  }

  /**
   * Returns how many leading tokens had K and V when the sequence was opened, including those
   * copied from another device or read from the disk; in a lane group with a {@linkplain
   * EbbOptions#withWindows window}, the last of them. They are whole blocks, and an engine computes
   * from here. All tokens may have matched; an engine that needs the last one's output computes
   * that without writing its K and V again.
   *
   * @return 0 to the prompt's length
   */
  public int matchedTokens() {
    return engine.locked(() -> matchedTokens);
  }

  /** Returns how many of {@link #matchedTokens} were read from the disk. */
  public int diskTokens() {
    return engine.locked(() -> diskTokens);
  }

  /** Returns how many of {@link #matchedTokens}, the last of them, were read from a server. */
  public int remoteTokens() {
    return engine.locked(() -> remoteTokens);
  }

  /** Returns how many cached entries were evicted so far to make room for its blocks. */
  public long evictions() {
    return engine.locked(() -> evictions);
  }

  /** Returns the policy that evicts from its device; {@code none} without one. */
  public String policy() {
    return engine.locked(() -> home.partition.cache.policyName());
  }

  /**
   * Makes room for the K and V of further tokens: allocates blocks as needed, and copies the last
   * one if a fork shares it. All or nothing.
   *
   * @throws OutOfBlocksException if there is no room
   */
  public void append(int... tokens) {
    engine.lock.lock();
    try {
      checkOpen();
      engine.migrations.end(this, "tokens were appended");
      Math.addExact(stored.position(), tokens.length);
      appending = true;
      try {
        makeRoom(tokens.length);
      } finally {
        appending = false;
      }
      stored.append(tokens.length);
      if (!stored.pruned()) {
        chain.add(tokens);
      }
    } finally {
      engine.lock.unlock();
    }
  }

  private void makeRoom(int tokens) {
    if (tokens > 0) {
      home.separateLastPage(stored);
      home.growFor(stored, tokens);
    }
  }

  /**
   * Reports that the K and V of the first tokens are written. If the sequence is preempted, their
   * full blocks are stored on {@code ebb.pool.offload.server}, if there is one.
   */
  public void written(int tokens) {
    engine.lock.lock();
    try {
      checkOpen();
      writtenTokens = checkWritten(tokens);
    } finally {
      engine.lock.unlock();
    }
  }

  /**
   * Makes the full blocks of the first tokens available to other sequences now, not only at the
   * end, and releases those that have left the window of their lane group. So requests that run at
   * the same time compute a shared prefix once. If another sequence has published the same block,
   * this one uses it too, and its own becomes free.
   *
   * <p>Tokens that are dropped later are copied first, because published blocks are not written.
   * Once tokens have been dropped, this does nothing.
   *
   * @param writtenTokens tokens from the front whose K and V have been written, 0 to the length
   * @return tokens from the front whose blocks are those of the cache
   */
  public int publish(int writtenTokens) {
    engine.lock.lock();
    try {
      checkOpen();
      int pages = checkWritten(writtenTokens) / engine.layout().blockTokens();
      if (pages > home.matchedPages && !stored.pruned()) {
        home.publish(pages);
        // A block that another sequence had published too is free now.
        engine.freed.signalAll();
      }
      return home.matchedTokens();
    } finally {
      engine.lock.unlock();
    }
  }

  /**
   * Returns whether the recurrent state after the first tokens should be saved: after the prompt,
   * where the prompt leaves what is cached, and every 16 blocks of it while there is free memory.
   * While it generates, the engine keeps a copy of the state after each full block, and saves the
   * last one before {@link #finish}.
   *
   * @param tokens tokens from the front; false unless they fill whole blocks
   */
  public boolean wantsState(int tokens) {
    return engine.locked(() -> home.states.wants(tokens));
  }

  /**
   * Saves the recurrent state after the first tokens, so that later prompts go on from there. Their
   * blocks must be {@linkplain #publish published}. May evict cached blocks and states.
   *
   * @param tokens tokens from the front that fill whole blocks
   * @param state native memory with the state, of {@link EbbOptions#stateBytes}
   * @return false if it is not saved: the blocks are not cached, or there is too little memory
   * @throws IllegalArgumentException if the tokens do not fill whole blocks
   */
  public boolean saveState(int tokens, MemorySegment state) {
    return engine.locked(() -> {
      checkOpen();
      return home.states.save(tokens, state);
    });
  }

  /**
   * Reads the state after {@link #matchedTokens}, more than 0, of {@link EbbOptions#stateBytes}.
   */
  public void loadState(MemorySegment into) {
    engine.exclusively(() -> {
      checkOpen();
      home.states.load(into);
    });
  }

  /**
   * Opens an independent sequence with the same tokens that shares all blocks so far, which must be
   * written. The first of both that appends copies the partial block.
   */
  public Sequence fork() {
    engine.requireKvOnly("forked");
    return engine.fork(this);
  }

  /**
   * Writes the K and V of all tokens, which must be written, to a segment. {@link Ebb#load} opens a
   * sequence from it. The tokens themselves are not in the file. Meanwhile the sequence is not
   * preempted.
   *
   * @param file its path; an existing file is replaced when the new one is complete
   * @throws IOException if it cannot be written, for example because the disk is full
   * @throws UserError if the path is not that of a regular file
   * @throws IllegalStateException if tokens have been dropped
   */
  public void save(Path file) throws IOException {
    SequenceFile.save(engine, this, file);
  }

  /**
   * Opens the bytes to the engine. Until the access is closed, no block moves and the sequence is
   * not preempted. Cancels a migration of the sequence.
   */
  public KvAccess access() {
    return access(false);
  }

  /**
   * Opens the bytes for reading only. A migration of the sequence continues. It completes in the
   * first step after the access is closed.
   */
  public KvAccess reading() {
    return access(true);
  }

  private KvAccess access(boolean readOnly) {
    return engine.locked(() -> {
      checkOpen();
      if (!readOnly) {
        engine.migrations.end(this, "it was opened for writing");
      }
      uses++;
      return new KvAccess(engine, this, home, readOnly);
    });
  }

  /** Returns the {@linkplain #blockTable(int) blocks} of lane group 0. */
  public int[] blockTable() {
    return blockTable(0);
  }

  /**
   * Returns the blocks of a lane group, front to back. Their numbers are valid while an access is
   * open.
   *
   * @param laneGroup 0 to {@code laneGroups - 1}
   * @return block numbers, a copy; -1 for those that have left the window of the lane group
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
   */
  public void finish() {
    finish(SequenceEnd.UNKNOWN);
  }

  /** Does the same, with what the end shows. */
  public void finish(SequenceEnd end) {
    finish(end, () -> stored.position(), SequenceState.FINISHED);
  }

  /** Ends the sequence and publishes the full blocks of its first tokens, whose K and V exist. */
  public void finish(int writtenTokens) {
    finish(SequenceEnd.UNKNOWN, () -> writtenTokens, SequenceState.FINISHED);
  }

  /** Publishes full blocks and ends the sequence, which is finished or preempted. */
  void finish(SequenceEnd end, IntSupplier written, SequenceState as) {
    engine.exclusively(() -> {
      checkOpen();
      checkNotInUse("finished");
      int tokens = checkWritten(written.getAsInt());
      // Tokens behind dropped ones were computed without them, so the sequence is not shared as
      // a prefix.
      if (!stored.pruned()) {
        home.publish(tokens / engine.layout().blockTokens(), end);
      }
      engine.release(this, as);
      home.partition.evictAhead(asked.facts());
    });
  }

  /** Ends the sequence and releases the blocks that it does not share. */
  public void abort() {
    engine.exclusively(() -> {
      checkOpen();
      checkNotInUse("aborted");
      engine.release(this, SequenceState.ABORTED);
    });
  }

  /** Aborts the sequence, unless it has ended. */
  @Override
  public void close() {
    engine.exclusively(() -> {
      if (state == SequenceState.OPEN) {
        abort();
      }
    });
  }

  void checkOpen() {
    if (state != SequenceState.OPEN) {
      throw new SequenceStateException(id, state, preemptedBy);
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

  @Override
  public String toString() {
    return owner.name();
  }
}
