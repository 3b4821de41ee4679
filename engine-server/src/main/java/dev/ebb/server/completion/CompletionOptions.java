package dev.ebb.server.completion;

import dev.ebb.server.model.SamplerOptions;
import dev.ebb.server.tools.ToolUse;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a completion.
 *
 * @param maxTokens the most tokens of the answer, at least 1
 * @param stops texts that end the answer, none of them empty
 * @param ignoreEnd whether the answer continues after the model's end token
 * @param logprobs how many likely tokens are reported for each token; -1 for no probabilities
 * @param hint the class of the request for the eviction policy; 0 if unknown
 * @param returnAfter when the next request with this prefix is expected; null if unknown
 * @param priority larger is more urgent
 * @param tenant the user; null if unknown
 * @param tools the functions that can be called; null if there are none
 */
public record CompletionOptions(
    int maxTokens,
    SamplerOptions sampling,
    List<String> stops,
    boolean ignoreEnd,
    boolean returnTokenIds,
    int logprobs,
    int hint,
    @Nullable Duration returnAfter,
    int priority,
    @Nullable String tenant,
    @Nullable ToolUse tools) {

  public CompletionOptions {
    stops = List.copyOf(stops);
  }

  /** Returns the options of one of several answers to a prompt, which differ by their seeds. */
  CompletionOptions answer(int number) {
    return withSeed(sampling.seed() + number);
  }

  /** Returns the same with another seed. */
  CompletionOptions withSeed(int seed) {
    return new CompletionOptions(
        maxTokens,
        sampling.withSeed(seed),
        stops,
        ignoreEnd,
        returnTokenIds,
        logprobs,
        hint,
        returnAfter,
        priority,
        tenant,
        tools);
  }
}
