package dev.ebb.llama.binding;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Chooses the next token from a context's logits. For one context at a time. */
public final class Sampler implements AutoCloseable {

  private final Native library = Llama.library();
  private final MemorySegment chain;
  private boolean closed;

  private Sampler(MemorySegment... steps) {
    try (Arena arena = Arena.ofConfined()) {
      this.chain = library.samplerChain.call(arena.allocate(Structs.SAMPLER_CHAIN_PARAMS));
    }
    for (MemorySegment step : steps) {
      library.samplerAdd.call(chain, step);
    }
  }

  /**
   * Creates a sampler that takes the most likely token.
   *
   * @return a sampler to be closed
   */
  public static Sampler greedy() {
    return new Sampler(Llama.library().samplerGreedy.call());
  }

  /**
   * Creates a sampler that draws at random, deterministically by seed.
   *
   * @param temperature above 0; below 1 prefers likely tokens, above 1 unlikely ones
   * @param topK the number of most likely tokens to choose from; 0 for all
   * @param seed of the random numbers
   * @return a sampler to be closed
   * @throws IllegalArgumentException if the temperature is not above 0, or topK below it
   */
  public static Sampler random(float temperature, int topK, int seed) {
    return random(temperature, topK, 1, seed);
  }

  /**
   * Creates a sampler that draws at random, deterministically by seed.
   *
   * @param temperature above 0; below 1 prefers likely tokens, above 1 unlikely ones
   * @param topK the number of most likely tokens to choose from; 0 for all
   * @param topP draws from the most likely tokens that together have this probability, above 0 and
   *     at most 1
   * @param seed of the random numbers
   * @return a sampler to be closed
   * @throws IllegalArgumentException if a number is out of its range
   */
  public static Sampler random(float temperature, int topK, float topP, int seed) {
    if (!(temperature > 0) || topK < 0 || !(topP > 0 && topP <= 1)) {
      throw new IllegalArgumentException(
          "temperature " + temperature + ", topK " + topK + ", topP " + topP);
    }
    Native library = Llama.library();
    return new Sampler(
        library.samplerTopK.call(topK),
        library.samplerTemperature.call(temperature),
        library.samplerTopP.call(topP, 1),
        library.samplerDraw.call(seed));
  }

  /**
   * Chooses a token.
   *
   * @param context that has computed at least one token
   * @return a token of the vocabulary
   * @throws IllegalStateException if one of the two is closed, or nothing has been computed
   */
  public int next(LlamaContext context) {
    return next(context, LlamaContext.LAST);
  }

  /**
   * Chooses the token after one of the last computed tokens.
   *
   * @param index its place in the computed part of the batch; it was added with its output
   * @return a token of the vocabulary
   * @throws IllegalStateException if one of the two is closed, or the token has no output
   */
  public synchronized int next(LlamaContext context, int index) {
    if (closed) {
      throw new IllegalStateException("the sampler is closed");
    }
    return context.sample(chain, index);
  }

  /** Frees the sampler. Closing twice does nothing. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      library.samplerFree.call(chain);
    }
  }
}
