package dev.ebb.server.model;

import org.jspecify.annotations.Nullable;

/**
 * How the tokens of an answer are chosen.
 *
 * @param temperature 0 for the most likely token; below 1 prefers likely tokens, above 1 unlikely
 *     ones
 * @param topK the number of most likely tokens to choose from; 0 for all
 * @param topP draws from the most likely tokens that together have this probability, above 0 and at
 *     most 1
 * @param presence subtracted from the logit of each token that was generated
 * @param frequency subtracted from it once for each occurrence
 * @param repetition divides the logit of tokens of the prompt and the answer; 1 for none
 * @param grammar the answers that are allowed, in GBNF with the rule {@code root}; null for all
 */
public record SamplerOptions(
    float temperature,
    int topK,
    float topP,
    int seed,
    float presence,
    float frequency,
    float repetition,
    @Nullable String grammar) {

  public SamplerOptions {
    if (!(temperature >= 0) || topK < 0 || !(topP > 0 && topP <= 1) || !(repetition > 0)) {
      throw new IllegalArgumentException(
          "temperature %s, topK %d, topP %s, repetition %s"
              .formatted(temperature, topK, topP, repetition));
    }
  }

  /** Returns options that draw at random, without penalties and grammar. */
  public static SamplerOptions random(float temperature, int topK, float topP, int seed) {
    return new SamplerOptions(temperature, topK, topP, seed, 0, 0, 1, null);
  }

  /** Returns the same with another seed. */
  public SamplerOptions withSeed(int other) {
    return new SamplerOptions(
        temperature, topK, topP, other, presence, frequency, repetition, grammar);
  }

  /** Returns the same with a grammar. */
  public SamplerOptions withGrammar(@Nullable String text) {
    return new SamplerOptions(temperature, topK, topP, seed, presence, frequency, repetition, text);
  }

  /** Returns whether the likeliest token is taken. */
  public boolean isGreedy() {
    return temperature < Float.MIN_NORMAL;
  }

  /** Returns whether generated tokens become less likely. */
  public boolean penalizes() {
    return presence != 0 || frequency != 0;
  }
}
