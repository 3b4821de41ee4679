package dev.ebb.host.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.ebb.host.openai.CompletionRequest.Call;
import dev.ebb.host.openai.CompletionRequest.Message;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An answer to a {@link CompletionRequest}, or a chunk of a stream.
 *
 * @param object {@code text_completion}, {@code chat.completion} or {@code chat.completion.chunk}
 * @param created seconds since 1970
 * @param error a text, or an {@link ApiError.Detail}; in a stream that fails
 */
public record CompletionAnswer(
    @Nullable String id,
    @Nullable String object,
    @Nullable Long created,
    @Nullable String model,
    @Nullable List<Choice> choices,
    @Nullable Usage usage,
    @Nullable Timings timings,
    @Nullable JsonNode error) {

  /**
   * One of several answers.
   *
   * @param logprobs {@link ChatLogprobs} in chats, otherwise {@link TextLogprobs}
   * @param message in chats
   * @param delta in streamed chats
   * @param text in completions
   */
  public record Choice(
      @Nullable Integer index,
      @JsonInclude(Include.ALWAYS) @Nullable Object logprobs,
      @JsonInclude(Include.ALWAYS) @Nullable String finishReason,
      @Nullable Message message,
      @Nullable Delta delta,
      @Nullable String text,
      @Nullable List<Integer> tokenIds) {}

  /**
   * What is added to a message.
   *
   * @param reasoningContent as in vLLM and llama.cpp, which later named it {@code reasoning}
   */
  public record Delta(
      @Nullable String role,
      @Nullable String content,
      @Nullable String reasoningContent,
      @Nullable String reasoning,
      @Nullable List<Call> toolCalls) {

    /** Returns an addition of text. */
    public static Delta of(@Nullable String role, @Nullable String content) {
      return new Delta(role, content, null, null, null);
    }
  }

  /** The number of tokens. */
  public record Usage(
      @Nullable Long promptTokens,
      @Nullable Long completionTokens,
      @Nullable Long totalTokens,
      @Nullable PromptTokens promptTokensDetails) {}

  /** Of the tokens of a prompt, those that were in the cache. */
  public record PromptTokens(@Nullable Long cachedTokens) {}

  /** What llama.cpp reports in place of {@link PromptTokens}. */
  public record Timings(@Nullable Long cacheN) {}

  /** Probabilities in chats. */
  public record ChatLogprobs(List<TokenLogprob> content) {}

  /**
   * The logarithm of the probability of a token.
   *
   * @param topLogprobs the most likely tokens in its place; null for these
   */
  public record TokenLogprob(
      String token,
      double logprob,
      List<Integer> bytes,
      @Nullable List<TokenLogprob> topLogprobs) {}

  /**
   * Probabilities in completions.
   *
   * @param textOffset the characters of the answer before each token
   */
  public record TextLogprobs(
      List<String> tokens,
      List<Double> tokenLogprobs,
      List<Map<String, Double>> topLogprobs,
      List<Integer> textOffset) {}
}
