package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.SizedTraceCursor;
import dev.ebb.host.trace.TraceException;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.host.trace.synthetic.Rng.Popularity;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A trace generated from a seed, in flat memory except for active conversations. Its prompts are
 * cut as real ones are: a block's id identifies the block and all blocks before it (except for
 * {@link Shape#ZIPF}). The unfinished last block is hardly ever used again.
 */
public final class SyntheticTrace extends SizedTraceCursor {

  /** The kind of work that a synthetic trace imitates. */
  public enum Shape {
    /** Conversations of several turns, with think times, under shared system prompts. */
    CHAT,
    /** Agents with long, quickly growing prompts, which branch. */
    AGENT,
    /** Agents whose attempts begin again at random depths of a long prompt. */
    FORK,
    /** Questions about retrieved documents. */
    RAG,
    /** Independent blocks by popularity: for comparison with cache simulators. */
    ZIPF;

    /**
     * Finds a shape by its name.
     *
     * @param name its name, in lower case
     * @throws TraceException if there is no such shape
     */
    public static Shape of(String name) {
      for (Shape shape : values()) {
        if (shape.toString().equals(name)) {
          return shape;
        }
      }
      throw new TraceException(
          "synthetic trace '%s' does not exist; choose one of %s"
              .formatted(
                  name,
                  Arrays.stream(values()).map(Shape::toString).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Workload workload;

  /**
   * Creates a trace before its first request.
   *
   * @param options its sizes and its seed; equal options give equal traces
   */
  public SyntheticTrace(Shape shape, SyntheticOptions options) {
    super(options.requests);
    workload =
        switch (shape) {
          case CHAT -> new ConversationWorkload.Chat(options);
          case AGENT -> new ConversationWorkload.Agent(options);
          case FORK -> new ConversationWorkload.Fork(options);
          case RAG -> new Rag(options);
          case ZIPF -> new Zipf(options);
        };
  }

  @Override
  protected void fill(long index, TraceRequest next) {
    next.clear();
    workload.next(next);
  }

  /** Independent blocks by popularity; an id says nothing about the ids before it. */
  private static final class Zipf implements Workload {

    private final Rng dice;
    private final Popularity popularity;
    private final double perSecond;
    private final int blocks;
    private final int blockTokens;
    private long nanos;

    Zipf(SyntheticOptions options) {
      dice = new Rng(options.seed);
      popularity = new Popularity(options.objects, options.skew);
      perSecond = options.requestsPerSecond;
      blocks = options.blocksPerRequest;
      blockTokens = options.blockTokens;
    }

    @Override
    public void next(TraceRequest request) {
      request.timestampNanos = nanos;
      nanos += dice.gap(perSecond);
      for (int i = 0; i < blocks; i++) {
        request.addId(popularity.draw(dice));
      }
      request.inputTokens = (long) blocks * blockTokens;
      request.workload = "zipf";
    }
  }

  /**
   * Questions about retrieved documents: the tenant's system prompt, one to five documents by
   * popularity, in the order found, then a new question.
   */
  private static final class Rag implements Workload {

    private static final int MOST_DOCUMENTS = 5;
    private static final double DOCUMENT_TOKENS = 800;
    private static final double QUESTION_TOKENS = 40;
    private static final double ANSWER_TOKENS = 150;

    private final Rng dice;
    private final Tenants tenants;
    private final Popularity popularity;
    private final double perSecond;
    private final int blockTokens;
    private final long library;
    private final long[] documentTokens;
    private long nanos;
    private long requests;

    Rag(SyntheticOptions options) {
      dice = new Rng(options.seed);
      tenants = new Tenants(options.tenants, 300, dice);
      popularity = new Popularity(options.documents, options.skew);
      perSecond = options.requestsPerSecond;
      blockTokens = options.blockTokens;
      library = dice.bits();
      documentTokens = new long[options.documents];
      Arrays.setAll(documentTokens, document -> dice.tokens(DOCUMENT_TOKENS, 0.6));
    }

    @Override
    public void next(TraceRequest request) {
      request.timestampNanos = nanos;
      nanos += dice.gap(perSecond);
      int tenant = tenants.draw(dice);
      PromptBlocks prompt = new PromptBlocks(blockTokens);
      tenants.open(tenant, prompt);
      for (int i = Math.min(dice.times(3), MOST_DOCUMENTS); i > 0; i--) {
        int document = popularity.draw(dice);
        prompt.append(library + document, documentTokens[document]);
      }
      prompt.append(dice.bits(), dice.tokens(QUESTION_TOKENS, 0.7));
      prompt.fill(request);
      request.outputTokens = dice.tokens(ANSWER_TOKENS, 0.7);
      request.sequenceId = requests++;
      request.turn = 1;
      request.tenant = tenants.name(tenant);
      request.workload = "rag";
    }
  }

  /** Generates requests in order of arrival, without end. */
  interface Workload {

    void next(TraceRequest request);
  }
}
