package dev.ebb.host.tokeneval;

import static dev.ebb.host.tokeneval.RecallModel.HEADS;
import static dev.ebb.host.tokeneval.RecallModel.HEAD_DIM;
import static dev.ebb.host.tokeneval.RecallModel.LAYERS;
import static dev.ebb.host.tokeneval.RecallReader.LANES;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.Slab;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.SequenceView;
import dev.ebb.host.tokens.signals.SignalKernels;
import dev.ebb.host.tokens.signals.SignalNeeds;
import dev.ebb.host.tokens.signals.StoredKeys;
import dev.ebb.host.tokens.signals.TokenSignals;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A model and an engine for it, in which prompts are read once and answered many times. */
final class RecallBed implements AutoCloseable {

  private static final int BLOCK_TOKENS = KvLayout.DEFAULT_BLOCK_TOKENS;
  private static final Namespace MODEL = Namespace.of("recall");

  /** Room for an answer, and for the blocks that a pruned fork copies. */
  private static final int SPARE_TOKENS = 64;

  private final RecallModel model;
  private final ToIntFunction<Sequence> position;
  private final KvLayout layout;
  private final Closer opened = new Closer();
  private final Ebb ebb;

  /** Keys and values of the last prompt, for signals. */
  private final Slab slab;

  RecallBed(RecallModel model, int length) {
    this(model, length, Sequence::position);
  }

  /** Creates one whose source of the next token's position may be wrong, for tests. */
  RecallBed(RecallModel model, int length, ToIntFunction<Sequence> position) {
    this.model = model;
    this.position = position;
    // Each lane is a group of its own, so that layers and heads may keep different numbers.
    layout = new KvLayout(LAYERS, HEADS, HEAD_DIM, BLOCK_TOKENS, DType.FP32, LANES);
    try {
      ebb = opened.add(Ebb.bare(layout, 3 * layout.sequenceBytes(length + SPARE_TOKENS)));
      slab = opened.add(new HostDevice()).reserve(layout.sequenceBytes(length));
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  /** Reads a prompt, to be used until the next one is read. */
  Prompt read(RecallQuestion question) {
    return new Prompt(question);
  }

  @Override
  public void close() {
    opened.close();
  }

  /** A prompt that was read, with all its tokens. */
  final class Prompt implements AutoCloseable {

    private final RecallQuestion question;
    private final Sequence sequence;
    private final RecallReader reader;
    private final int said;
    private final StoredTokens stored = new StoredTokens(LAYERS, HEADS);
    private final StoredKeys keys = new StoredKeys(layout, slab, this::kernels);

    private Prompt(RecallQuestion question) {
      this.question = question;
      sequence = ebb.open(SequenceRequest.of(MODEL));
      int[] tokens = question.prompt();
      reader = new RecallReader(model, sequence, BLOCK_TOKENS, position, tokens.length);
      said = reader.read(tokens);
      stored.append(tokens.length);
      store(Math.ceilDiv(tokens.length, BLOCK_TOKENS));
    }

    private SignalKernels kernels() {
      return new FastSignals(slab.segment().orElseThrow());
    }

    /** Copies keys and values to memory in which signals can be computed. */
    private void store(int pages) {
      int[][] blocks = new int[LANES][pages];
      int[] counts = new int[LANES];
      try (KvAccess access = sequence.reading()) {
        for (int lane = 0; lane < LANES; lane++) {
          for (int page = 0; page < pages; page++) {
            int block = lane * pages + page;
            blocks[lane][counts[lane]++] = block;
            long at = (long) block * layout.blockBytes();
            slab.write(at, access.keys(lane, page));
            slab.write(at + layout.blockBytes() / 2, access.values(lane, page));
          }
        }
      }
      keys.show(blocks, counts);
    }

    /** Returns the tokens that a policy and a budget rule keep. */
    KeptSets keep(TokenPolicy policy, TokenBudget budget, int size) {
      SequenceView view =
          PluginCall.call(
              policy,
              "signals failed",
              () -> show(new SequenceView(policy), List.of(policy), List.of()));
      SequenceView rated =
          PluginCall.call(
              budget,
              "signals failed",
              () -> show(new SequenceView(budget), List.of(), List.of(budget)));
      return RecallLanes.of(policy, budget, size, view, rated);
    }

    private SequenceView show(
        SequenceView view, List<TokenPolicy> policies, List<TokenBudget> budgets) {
      SignalNeeds needs = SignalNeeds.of(policies, budgets);
      // The head that knows the facts does not rotate; the others' queries are seen as they came.
      TokenSignals signals = new TokenSignals(needs, layout, HEADS, Rotation.NONE, stored);
      reader.show(signals);
      view.show(signals, keys, 0, LAYERS, 0, HEADS);
      return view;
    }

    /**
     * Answers from the kept tokens. If the question was part of the prompt, the first token of the
     * answer was produced before any were dropped.
     *
     * @param kept the kept tokens; null for all
     */
    int[] answer(@Nullable KeptSets kept, int tokens) {
      try (Sequence fork = sequence.fork()) {
        if (kept != null) {
          fork.keep(kept);
        }
        RecallReader further = new RecallReader(model, fork, BLOCK_TOKENS, position, 0);
        int next = question.after().length == 0 ? said : further.read(question.after());
        int[] answer = new int[tokens];
        for (int i = 0; i < tokens; i++) {
          answer[i] = next;
          next = i + 1 < tokens ? further.read(next) : next;
        }
        return answer;
      }
    }

    @Override
    public void close() {
      sequence.close();
    }
  }
}
