package dev.ebb.llama.server;

import dev.ebb.llama.binding.Sampler;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a completion.
 *
 * @param maxTokens the most tokens of the answer, at least 1
 * @param temperature 0 for the most likely token
 * @param topP the probability that the tokens to draw from have together
 * @param topK how many tokens to draw from; 0 for all
 * @param seed of the random numbers
 * @param stops texts that end the answer, none of them empty
 * @param ignoreEnd whether the answer continues after the model's end token
 * @param returnTokenIds whether the answer lists its tokens
 * @param hint the class of the request for the eviction policy; 0 if unknown
 * @param returnAfter when the next request with this prefix is expected; null if unknown
 * @param priority as the scheduler counts it
 * @param tenant the user; null if unknown
 */
record CompletionOptions(
    int maxTokens,
    float temperature,
    float topP,
    int topK,
    int seed,
    List<String> stops,
    boolean ignoreEnd,
    boolean returnTokenIds,
    int hint,
    @Nullable Duration returnAfter,
    int priority,
    @Nullable String tenant) {

  CompletionOptions {
    stops = List.copyOf(stops);
  }

  Sampler sampler() {
    return temperature < Float.MIN_NORMAL
        ? Sampler.greedy()
        : Sampler.random(temperature, topK, topP, seed);
  }
}
