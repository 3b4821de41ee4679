package dev.ebb.llama.binding;

import dev.ebb.server.model.SamplerOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the next token from a context's logits. For one context at a time. */
public final class Sampler implements AutoCloseable {

  /** Enough candidates that one is drawn. */
  private static final int DRAWN_FROM = 2;

  private final Native library = Llama.library();
  private final MemorySegment chain;

  /** The step that takes the likeliest token, or draws one. */
  private final MemorySegment last;

  private @Nullable MemorySegment grammar;
  private boolean closed;

  private Sampler(MemorySegment... steps) {
    last = steps[steps.length - 1];
    try (Arena arena = Arena.ofConfined()) {
      this.chain = library.llamaSamplerChainInit(arena.allocate(Structs.SAMPLER_CHAIN_PARAMS));
    }
    for (MemorySegment step : steps) {
      library.llamaSamplerChainAdd(chain, step);
    }
  }

  /** Creates a sampler that takes the most likely token. */
  public static Sampler greedy() {
    return new Sampler(Llama.library().llamaSamplerInitGreedy());
  }

  /**
   * Creates a sampler that draws at random, deterministically by seed.
   *
   * @param temperature above 0; below 1 prefers likely tokens, above 1 unlikely ones
   * @param topK the number of most likely tokens to choose from; 0 for all
   * @throws IllegalArgumentException if the temperature is not above 0, or topK below it
   */
  public static Sampler random(float temperature, int topK, int seed) {
    return new Sampler(steps(SamplerOptions.random(temperature, topK, 1, seed)));
  }

  /**
   * Creates a sampler for the answer to a prompt.
   *
   * @param model the model of the answer, which stays open until the sampler is closed
   * @param prompt the tokens before the answer, for the repetition penalty
   * @throws IllegalArgumentException if llama.cpp does not take the grammar
   */
  public static Sampler open(
      LlamaModel model, SamplerOptions options, int[] prompt, int mostTokens) {
    Native library = Llama.library();
    List<MemorySegment> steps = new ArrayList<>();
    if (options.repetition() != 1) {
      MemorySegment repetition =
          library.llamaSamplerInitPenalties(
              Math.addExact(prompt.length, mostTokens), options.repetition(), 0, 0);
      for (int token : prompt) {
        library.llamaSamplerAccept(repetition, token);
      }
      steps.add(repetition);
    }
    if (options.penalizes()) {
      steps.add(
          library.llamaSamplerInitPenalties(
              mostTokens, 1, options.frequency(), options.presence()));
    }
    steps.addAll(List.of(steps(options)));
    Sampler sampler = new Sampler(steps.toArray(MemorySegment[]::new));
    String grammar = options.grammar();
    try {
      if (grammar != null) {
        sampler.constrain(model, grammar);
      }
      return sampler;
    } catch (IllegalArgumentException refused) {
      sampler.close();
      throw refused;
    }
  }

  private static MemorySegment[] steps(SamplerOptions options) {
    Native library = Llama.library();
    return options.isGreedy()
        ? new MemorySegment[] {library.llamaSamplerInitGreedy()}
        : new MemorySegment[] {
          library.llamaSamplerInitTopK(options.topK()),
          library.llamaSamplerInitTemp(options.temperature()),
          library.llamaSamplerInitTopP(options.topP(), 1),
          library.llamaSamplerInitDist(options.seed())
        };
  }

  /**
   * Limits the following tokens to those that a grammar allows.
   *
   * @param text in GBNF, with the rule {@code root}, which is not empty
   * @throws IllegalArgumentException if llama.cpp does not take it
   */
  public synchronized void constrain(LlamaModel model, String text) {
    requireOpen();
    MemorySegment vocabulary = model.nativeVocabulary();
    Llama.complaint();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment created =
          library.llamaSamplerInitGrammar(
              vocabulary, arena.allocateFrom(text), arena.allocateFrom("root"));
      int end = library.llamaVocabEos(vocabulary);
      // Instead of a grammar that it refuses, llama.cpp returns one that allows everything.
      if (end >= 0 && new Candidates(library, 1, arena).allows(created, end)) {
        library.llamaSamplerFree(created);
        throw new IllegalArgumentException(
            "llama.cpp does not take the grammar of the answer: " + Llama.complaint());
      }
      freeGrammar();
      grammar = created;
    }
  }

  private void freeGrammar() {
    if (grammar != null) {
      library.llamaSamplerFree(grammar);
    }
  }

  /**
   * Chooses a token.
   *
   * @param context that has computed at least one token
   * @throws IllegalStateException if one of the two is closed, or nothing has been computed
   */
  public int next(LlamaContext context) {
    return next(context, LlamaContext.LAST);
  }

  /**
   * Chooses the token after one of the last computed tokens.
   *
   * @param index its place in the computed part of the batch; it was added with its output
   * @throws IllegalStateException if one of the two is closed, or the token has no output
   */
  public synchronized int next(LlamaContext context, int index) {
    requireOpen();
    return grammar == null ? context.sample(chain, index) : context.sample(chain, grammar, index);
  }

  /**
   * Takes a token that was chosen elsewhere, as if this had chosen it.
   *
   * @throws IllegalStateException if the sampler is closed, or the grammar does not allow the token
   */
  public synchronized void accept(int token) {
    requireOpen();
    try (Arena arena = Arena.ofConfined()) {
      Candidates candidates = new Candidates(library, DRAWN_FROM, arena);
      if (grammar != null) {
        if (!candidates.allows(grammar, token)) {
          throw new IllegalStateException(
              "the format of the answer does not allow the token '%d'".formatted(token));
        }
        library.llamaSamplerAccept(grammar, token);
      }
      candidates.draw(last);
    }
    library.llamaSamplerAccept(chain, token);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the sampler is closed");
    }
  }

  /** Frees the sampler. Closing twice does nothing. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      library.llamaSamplerFree(chain);
      freeGrammar();
    }
  }
}
