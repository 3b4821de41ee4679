package dev.ebb.host.tokeneval;

import static dev.ebb.host.tokeneval.RecallModel.HEADS;
import static dev.ebb.host.tokeneval.RecallModel.HEAD_DIM;
import static dev.ebb.host.tokeneval.RecallModel.LAYERS;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
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
  private final Ebb ebb;

  RecallBed(RecallModel model, int length) {
    this(model, length, Sequence::position);
  }

  /** Creates one whose source of the next token's position may be wrong, for tests. */
  RecallBed(RecallModel model, int length, ToIntFunction<Sequence> position) {
    this.model = model;
    this.position = position;
    // Each lane is a group of its own, so that layers and heads may keep different numbers.
    KvLayout layout =
        new KvLayout(LAYERS, HEADS, HEAD_DIM, BLOCK_TOKENS, DType.FP32, LAYERS * HEADS);
    ebb = Ebb.bare(layout, 3 * layout.sequenceBytes(length + SPARE_TOKENS));
  }

  Prompt read(RecallQuestion question) {
    return new Prompt(question);
  }

  @Override
  public void close() {
    ebb.close();
  }

  /** A prompt that was read, with all its tokens. */
  final class Prompt implements AutoCloseable {

    private final RecallQuestion question;
    private final Sequence sequence;
    private final RecallReader reader;
    private final int said;

    private Prompt(RecallQuestion question) {
      this.question = question;
      sequence = ebb.open(SequenceRequest.of(MODEL));
      reader = new RecallReader(model, sequence, BLOCK_TOKENS, position, true);
      said = reader.read(question.prompt());
    }

    /** Returns the tokens that a policy and a budget rule keep. */
    KeptSets keep(TokenPolicy policy, TokenBudget budget, int size) {
      PromptView view = new PromptView(reader, sequence, BLOCK_TOKENS, policy);
      PromptView rated = new PromptView(reader, sequence, BLOCK_TOKENS, budget);
      return RecallLanes.of(policy, budget, size, view, rated);
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
        RecallReader further = new RecallReader(model, fork, BLOCK_TOKENS, position, false);
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
