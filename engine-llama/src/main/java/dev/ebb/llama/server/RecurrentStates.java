package dev.ebb.llama.server;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.util.Objects.requireNonNull;

import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.server.BlockCells.Branch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The states of a recurrent model. llama.cpp has one for each sequence, after its last token, and
 * cannot go back. So the computation pauses where a later prompt may go on, and the state is copied
 * into the pool of the {@link dev.ebb.host.engine.Ebb}. A request that matches gets the copy.
 *
 * <p>llama.cpp b4916 mixes the states of several sequences. So there is one sequence, which the
 * requests use in turn: the state of one is copied out before that of another is copied in.
 *
 * <p>Used by the engine's thread.
 */
final class RecurrentStates implements SequenceCells {

  /** The sequence in llama.cpp. */
  private static final int ONLY = 0;

  /**
   * A state is split into about so many blocks, so that a page, which has no bytes, costs little.
   */
  private static final int BLOCKS_EACH = 1_024;

  private static final int TRIAL_TOKENS = 8;

  /** A running request: its current state, and the state after its last full block. */
  private static final class Running {
    final MemorySegment current;
    final MemorySegment full;
    int fullTokens;

    Running(MemorySegment current, MemorySegment full) {
      this.current = current;
      this.full = full;
    }
  }

  private final LlamaContext context;
  private final int blockTokens;
  private final long bytes;

  /** The state before the first token. */
  private final MemorySegment initial;

  private final Map<Branch, Running> running = new HashMap<>();
  private final Deque<Running> unused = new ArrayDeque<>();

  /** The request whose state llama.cpp has; null if it has that of none. */
  private @Nullable Running loaded;

  /**
   * Uses a context, and checks that it restores states.
   *
   * @param context of a recurrent model, without tokens
   * @param memory for two states of each of them
   * @throws UserError if a restored state does not give the same logits
   */
  RecurrentStates(
      LlamaModel model, LlamaContext context, int requests, int blockTokens, Arena memory) {
    this.context = context;
    this.blockTokens = blockTokens;
    int[] some =
        IntStream.range(0, TRIAL_TOKENS + 1).map(i -> i % model.shape().vocabulary()).toArray();
    int[] first = Arrays.copyOf(some, TRIAL_TOKENS);
    int[] next = {some[TRIAL_TOKENS]};
    float[] afterFirst = logits(first, 0);
    bytes = context.stateBytes(ONLY);
    MemorySegment state = memory.allocate(bytes, Long.BYTES);
    context.saveState(ONLY, state);
    float[] afterNext = logits(next, TRIAL_TOKENS);
    initial = initial(memory.allocate(bytes, Long.BYTES).copyFrom(state));
    context.restoreState(ONLY, initial);
    boolean restores = Arrays.equals(afterFirst, logits(first, 0));
    context.restoreState(ONLY, state);
    if (!restores || !Arrays.equals(afterNext, logits(next, TRIAL_TOKENS))) {
      throw unsupported(model);
    }
    for (int i = 0; i < requests; i++) {
      unused.add(
          new Running(memory.allocate(bytes, Long.BYTES), memory.allocate(bytes, Long.BYTES)));
    }
  }

  private static UserError unsupported(LlamaModel model) {
    return new UserError(
        "llama.cpp %s does not restore the state of models of the architecture '%s', so this server would give wrong answers; use a transformer or Mamba"
            .formatted(LlamaModel.BUILD, model.shape().architecture()));
  }

  private float[] logits(int[] tokens, int position) {
    context.decode(ONLY, tokens, position);
    return context.logits();
  }

  /**
   * Clears the numbers of a state. It has the cell, its position and number of sequences, whether
   * values are transposed and the number of layers, 4 bytes each. Then come for each layer its
   * type, the size of its numbers, and these; first those of all convolutions.
   */
  private static MemorySegment initial(MemorySegment state) {
    int layers = state.get(JAVA_INT_UNALIGNED, 4L * Integer.BYTES);
    long at = 5L * Integer.BYTES;
    for (int i = 0; i < 2 * layers; i++) {
      long size = state.get(JAVA_LONG_UNALIGNED, at + Integer.BYTES);
      at += Integer.BYTES + Long.BYTES;
      state.asSlice(at, size).fill((byte) 0);
      at += size;
    }
    return state;
  }

  long bytes() {
    return bytes;
  }

  /** Returns the elements of a head in a layout of one float head, so that a block is small. */
  static int headDimension(long stateBytes, int blockTokens) {
    return (int) Math.max(1, stateBytes / (2L * Float.BYTES * blockTokens * BLOCKS_EACH));
  }

  @Override
  public Branch open(int[] blocks, int matchedPages, int sharedTokens) {
    Branch branch = new Branch(ONLY);
    Running request = unused.pop();
    request.current.copyFrom(initial);
    request.fullTokens = 0;
    running.put(branch, request);
    return branch;
  }

  @Override
  public void admitted(LlamaCompletion completion) {
    if (completion.matchedPages > 0) {
      completion.sequence().loadState(of(completion).current);
    }
  }

  private Running of(LlamaCompletion completion) {
    return requireNonNull(running.get(completion.branch()), "the branch is closed");
  }

  @Override
  public boolean computesTogether() {
    return false;
  }

  @Override
  public void computing(LlamaCompletion completion) {
    Running request = of(completion);
    if (loaded != request) {
      if (loaded != null) {
        context.saveState(ONLY, loaded.current);
      }
      context.restoreState(ONLY, request.current);
      loaded = request;
    }
  }

  @Override
  public int pause(LlamaCompletion completion, int from, int to) {
    for (int tokens = (from / blockTokens + 1) * blockTokens; tokens < to; tokens += blockTokens) {
      if (completion.sequence().wantsState(tokens)) {
        return tokens;
      }
    }
    return to;
  }

  @Override
  public void computed(LlamaCompletion completion, int tokens) {
    if (tokens % blockTokens != 0) {
      return;
    }
    Running request = of(completion);
    context.saveState(ONLY, request.full);
    request.fullTokens = tokens;
    if (completion.sequence().wantsState(tokens)) {
      save(completion, request);
    }
  }

  @Override
  public void ending(LlamaCompletion completion) {
    Running request = of(completion);
    if (request.fullTokens > 0) {
      save(completion, request);
    }
  }

  private void save(LlamaCompletion completion, Running request) {
    Sequence sequence = completion.sequence();
    completion.matchedPages =
        Math.max(completion.matchedPages, sequence.publish(request.fullTokens) / blockTokens);
    sequence.saveState(request.fullTokens, request.full);
  }

  @Override
  public void close(Branch branch, int[] blocks, int cachedPages, int computedTokens) {
    Running request = running.remove(branch);
    if (request != null) {
      loaded = loaded == request ? null : loaded;
      unused.push(request);
    }
  }

  @Override
  public int branches() {
    return running.size();
  }

  @Override
  public void save(Branch branch, int[] blocks, int from, int to) {
    // Blocks of pages have no bytes.
  }

  @Override
  public void publish(Branch branch, int[] blocks, int from, int to) {
    // Other branches get a saved state.
  }
}
