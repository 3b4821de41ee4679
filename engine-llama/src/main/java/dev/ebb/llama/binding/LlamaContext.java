package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.ebb.host.errors.UserError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The KV cells of a model in use, and the computation over them. A cell holds one token at one
 * logical position. Removing a token frees its cell for any later token, and moves nothing.
 *
 * <p>Calls by several threads wait for each other; after {@link #close} each is refused with an
 * {@link IllegalStateException}.
 */
@SuppressWarnings("restricted")
public final class LlamaContext implements AutoCloseable {

  /**
   * Held while a context computes. Matrix products of build b4916 share a counter between all
   * contexts of the process, so that two computations at a time give wrong results.
   */
  private static final Object COMPUTATION = new Object();

  /** llama.cpp moves a limited number of cells at a time. */
  private static final int MOST_COMPACTIONS = 8;

  /** The last token with an output. */
  static final int LAST = -1;

  private final LlamaModel model;
  private final Native library;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment context;
  private final MemorySegment view;
  private final MemorySegment batch;
  private final MemorySegment tokens;
  private final MemorySegment positions;
  private final MemorySegment owners;
  private final MemorySegment outputs;
  private final int cellCount;
  private final int batchSize;
  private final int sequences;
  private final @Nullable GraphWatch watch;
  private final Stopping stopping;
  private final TokenBatch single = new TokenBatch();
  private final KvCells room = new KvCells();
  private @Nullable Candidates candidates;
  private int decodedTokens;
  private boolean decoded;
  private boolean computing;
  private boolean closed;

  /**
   * Creates the cells.
   *
   * @param model stays open until the context is closed
   * @throws UserError if there is not enough memory
   */
  public LlamaContext(LlamaModel model, ContextOptions options) {
    this.model = model;
    this.library = model.library();
    this.batchSize = options.batch();
    this.sequences = options.sequences();
    this.watch = options.watch() == null ? null : new GraphWatch(options.watch(), arena);
    this.stopping = new Stopping(arena);
    this.context = open(options);
    // A cell's sequence ids are not read.
    this.view = library.llamaKvCacheViewInit(arena, context, 1);
    this.cellCount = cells().count();
    this.tokens = arena.allocate(JAVA_INT, batchSize);
    this.positions = arena.allocate(JAVA_INT, batchSize);
    this.owners = arena.allocate(JAVA_INT, batchSize);
    this.outputs = arena.allocate(batchSize);
    this.batch = batch();
  }

  private MemorySegment open(ContextOptions options) {
    MemorySegment params = library.llamaContextDefaultParams(arena);
    Structs.set(Structs.CONTEXT_PARAMS, params, "n_ctx", options.cells());
    Structs.set(Structs.CONTEXT_PARAMS, params, "n_batch", batchSize);
    // One graph for each call, so that each layer's attention comes once.
    Structs.set(Structs.CONTEXT_PARAMS, params, "n_ubatch", batchSize);
    Structs.set(Structs.CONTEXT_PARAMS, params, "n_seq_max", sequences);
    Structs.set(Structs.CONTEXT_PARAMS, params, "n_threads", options.threads());
    Structs.set(Structs.CONTEXT_PARAMS, params, "n_threads_batch", options.threads());
    Structs.set(Structs.CONTEXT_PARAMS, params, "flash_attn", options.flashAttention());
    if (watch != null) {
      Structs.set(Structs.CONTEXT_PARAMS, params, "cb_eval", watch.callback());
    }
    Structs.set(Structs.CONTEXT_PARAMS, params, "abort_callback", stopping.callback());
    MemorySegment weights = model.acquire();
    Llama.complaint();
    MemorySegment opened = library.llamaInitFromModel(weights, params);
    if (opened.equals(MemorySegment.NULL)) {
      model.release();
      arena.close();
      throw new UserError(
          "a context of '%,d' tokens cannot be created: %s; use a smaller one"
              .formatted(options.cells(), Llama.complaint()));
    }
    return opened;
  }

  private MemorySegment batch() {
    MemorySegment made = arena.allocate(Structs.BATCH);
    MemorySegment counts = arena.allocate(JAVA_INT, batchSize);
    MemorySegment each = arena.allocate(ADDRESS, batchSize);
    for (int i = 0; i < batchSize; i++) {
      counts.setAtIndex(JAVA_INT, i, 1);
      each.setAtIndex(ADDRESS, i, owners.asSlice((long) i * Integer.BYTES));
    }
    Structs.set(Structs.BATCH, made, "token", tokens);
    Structs.set(Structs.BATCH, made, "pos", positions);
    Structs.set(Structs.BATCH, made, "n_seq_id", counts);
    Structs.set(Structs.BATCH, made, "seq_id", each);
    Structs.set(Structs.BATCH, made, "logits", outputs);
    return made;
  }

  /**
   * Computes tokens and stores their keys and values. Afterwards the last one's logits are
   * available.
   *
   * @param owner their sequence, 0 to {@code sequences - 1}
   * @param ids tokens, 1 to the batch size; they need as many adjacent free cells
   * @param position the first one's logical position; the others follow
   * @return false if there are too few adjacent free cells: nothing has happened
   * @throws IllegalArgumentException if there are no tokens or too many, or one is not in the
   *     vocabulary
   * @throws CancellationException if the computation was stopped; nothing can be computed any more
   */
  public synchronized boolean decode(int owner, int[] ids, int position) {
    single.clear();
    for (int i = 0; i < ids.length; i++) {
      single.add(ids[i], position + i, owner, i == ids.length - 1);
    }
    return decode(single, 0, ids.length);
  }

  /**
   * Computes a part of a batch, of any sequences, and stores the keys and values. Afterwards the
   * logits of its outputs are available.
   *
   * @param to behind the last one, at most the batch size more; the part needs as many adjacent
   *     free cells
   * @return false if there are too few adjacent free cells: nothing has happened
   * @throws IllegalArgumentException if there are no tokens or too many, or one is invalid
   * @throws CancellationException if the computation was stopped; nothing can be computed any more
   */
  public synchronized boolean decode(TokenBatch tokens, int from, int to) {
    requireOpen();
    Objects.checkFromToIndex(from, to, tokens.size());
    if (from == to || to - from > batchSize) {
      throw new IllegalArgumentException(
          "%d tokens, in batches of %d".formatted(to - from, batchSize));
    }
    for (int i = from; i < to; i++) {
      Objects.checkIndex(tokens.owner(i), sequences);
      if (tokens.token(i) < 0 || tokens.token(i) >= model.shape().vocabulary()) {
        throw new IllegalArgumentException("there is no token " + tokens.token(i));
      }
    }
    return compute(tokens, from, to);
  }

  private boolean compute(TokenBatch ids, int from, int to) {
    stopping.check();
    int count = to - from;
    if (!hasRoom(count)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      tokens.setAtIndex(JAVA_INT, i, ids.token(from + i));
      positions.setAtIndex(JAVA_INT, i, ids.position(from + i));
      owners.setAtIndex(JAVA_INT, i, ids.owner(from + i));
      outputs.set(JAVA_BYTE, i, (byte) (ids.output(from + i) ? 1 : 0));
    }
    Structs.set(Structs.BATCH, batch, "n_tokens", count);
    if (watch != null) {
      watch.begin();
    }
    Llama.complaint();
    // Logits are available again only when the batch has been computed.
    decoded = false;
    int result;
    computing = true;
    try {
      synchronized (COMPUTATION) {
        result = library.llamaDecode(context, batch);
      }
    } finally {
      computing = false;
    }
    stopping.check();
    if (result != 0) {
      throw new IllegalStateException(
          "llama.cpp failed with %d: %s".formatted(result, Llama.complaint()));
    }
    if (watch != null && watch.end() != model.shape().layers()) {
      throw new UserError(
          "this model, of the architecture '%s', does not show the attention of each of its layers; use a policy that needs none, such as sliding-window"
              .formatted(model.shape().architecture()));
    }
    decoded = true;
    decodedTokens = count;
    return true;
  }

  /**
   * Moves tokens to other cells, so that more free cells are adjacent. llama.cpp moves a limited
   * number of tokens in one call. Nothing that is computed later changes, apart from rounding.
   *
   * @return false if nothing was done, because fewer cells are free than a batch has tokens:
   *     llama.cpp would end the process
   * @throws CancellationException if the computation was stopped
   */
  public synchronized boolean compact() {
    requireOpen();
    stopping.check();
    if (library.llamaKvSelfUsedCells(context) + batchSize > cellCount) {
      return false;
    }
    decoded = false;
    library.llamaKvSelfDefrag(context);
    synchronized (COMPUTATION) {
      library.llamaKvSelfUpdate(context);
    }
    return true;
  }

  /**
   * Returns the largest number of tokens that can be computed together, after compaction if fewer
   * than wanted can.
   *
   * @param compacted called after each compaction
   * @throws IllegalStateException if all cells are used
   */
  public int makeRoom(int wanted, Runnable compacted) {
    int before = -1;
    int free = longestFree();
    for (int i = 0; before < free && free < wanted && i < MOST_COMPACTIONS && compact(); i++) {
      compacted.run();
      before = free;
      free = longestFree();
    }
    if (free == 0) {
      throw new IllegalStateException("all cells are used");
    }
    return free;
  }

  /**
   * Stops the current computation after its current step, and refuses later ones. This call does
   * not wait for others, and does nothing once the context is closed.
   */
  public void stop() {
    stopping.stop();
  }

  /** Returns whether tokens fit; any free cell will do for one token. */
  private boolean hasRoom(int count) {
    return model.recurrent()
        || (library.llamaKvSelfUsedCells(context) + count <= cellCount
            && (count == 1 || longestFree() >= count));
  }

  /** Returns the largest number of tokens that can be computed together now. */
  public synchronized int longestFree() {
    if (model.recurrent()) {
      return batchSize;
    }
    look(room);
    return room.longestFree();
  }

  /** Returns the last computed token's logits, one for each token of the vocabulary. */
  public float[] logits() {
    return logits(LAST);
  }

  /**
   * Returns the logits after one of the last computed tokens.
   *
   * @param index its place in the computed part of the batch; it was added with its output
   * @throws IllegalStateException if the token has no output
   */
  public synchronized float[] logits(int index) {
    requireOutput(index);
    return logitsAt(index).toArray(JAVA_FLOAT);
  }

  private MemorySegment logitsAt(int index) {
    return library
        .llamaGetLogitsIth(context, index)
        .reinterpret((long) model.shape().vocabulary() * Float.BYTES);
  }

  /** Removes tokens of a sequence and frees the cells that no other sequence uses. */
  public synchronized void remove(int owner, int from, int to) {
    requireOpen();
    Objects.checkIndex(owner, sequences);
    Objects.checkFromToIndex(from, to, Integer.MAX_VALUE);
    library.llamaKvSelfSeqRm(context, owner, from, to);
  }

  /** Shares tokens of one sequence with another, in the same cells. */
  public synchronized void share(int owner, int other, int from, int to) {
    requireOpen();
    Objects.checkIndex(owner, sequences);
    Objects.checkIndex(other, sequences);
    Objects.checkFromToIndex(from, to, Integer.MAX_VALUE);
    library.llamaKvSelfSeqCp(context, owner, other, from, to);
  }

  /** Returns the size of the state of a sequence with tokens, however many these are. */
  public synchronized long stateBytes(int owner) {
    requireOpen();
    return library.llamaStateSeqGetSize(context, Objects.checkIndex(owner, sequences));
  }

  /**
   * Copies the state of a sequence of a recurrent model, as it is after its last token.
   *
   * @param into native memory of at least {@link #stateBytes}
   * @throws IllegalStateException if llama.cpp does not copy it
   */
  public synchronized void saveState(int owner, MemorySegment into) {
    requireOpen();
    requireCopied(
        library.llamaStateSeqGetData(
            context, into, into.byteSize(), Objects.checkIndex(owner, sequences)));
  }

  /**
   * Replaces the state of a sequence by one that was copied from any sequence of the same model.
   *
   * @param from native memory, filled by {@link #saveState}
   * @throws IllegalStateException if llama.cpp does not take it
   */
  public synchronized void restoreState(int owner, MemorySegment from) {
    requireOpen();
    Llama.complaint();
    requireCopied(
        library.llamaStateSeqSetData(
            context, from, from.byteSize(), Objects.checkIndex(owner, sequences)));
  }

  private static void requireCopied(long bytes) {
    if (bytes == 0) {
      throw new IllegalStateException(
          "llama.cpp did not copy the state of a sequence: " + Llama.complaint());
    }
  }

  /** Returns a copy of the cells' current content. */
  public KvCells cells() {
    KvCells cells = new KvCells();
    look(cells);
    return cells;
  }

  /** Copies the cells' current content without new memory. */
  public synchronized void look(KvCells cells) {
    requireOpen();
    library.llamaKvCacheViewUpdate(context, view);
    int count = Structs.intOf(Structs.CACHE_VIEW, view, "n_cells");
    long bytes = (long) count * Integer.BYTES;
    cells.take(
        view.get(ADDRESS, Structs.offset(Structs.CACHE_VIEW, "cells")).reinterpret(bytes), count);
  }

  synchronized int sample(MemorySegment sampler, int index) {
    requireOutput(index);
    return library.llamaSamplerSample(sampler, context, index);
  }

  synchronized int sample(MemorySegment sampler, MemorySegment grammar, int index) {
    requireOutput(index);
    if (candidates == null) {
      candidates = new Candidates(library, model.shape().vocabulary(), arena);
    }
    return candidates.choose(logitsAt(index), sampler, grammar);
  }

  private void requireOutput(int index) {
    requireOpen();
    requireDecoded();
    if (index != LAST && outputs.get(JAVA_BYTE, Objects.checkIndex(index, decodedTokens)) == 0) {
      throw new IllegalStateException("token '%d' of the batch has no output".formatted(index));
    }
  }

  private void requireOpen() {
    if (computing) {
      throw new IllegalStateException("the context is computing");
    } else if (closed) {
      throw new IllegalStateException("the context is closed");
    }
  }

  private void requireDecoded() {
    if (!decoded) {
      throw new IllegalStateException("nothing has been computed");
    }
  }

  /**
   * Frees the cells. Closing twice does nothing.
   *
   * @throws IllegalStateException if called by the watch of the computation
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (computing) {
      throw new IllegalStateException("the context is computing");
    }
    closed = true;
    library.llamaKvCacheViewFree(view);
    library.llamaFree(context);
    arena.close();
    model.release();
  }
}
