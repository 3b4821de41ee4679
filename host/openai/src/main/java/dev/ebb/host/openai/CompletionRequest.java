package dev.ebb.host.openai;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonFormat.Feature;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The body of a request for a completion or an answer to a chat; null for what is not given.
 *
 * @param prompt a text, a list of tokens, or a list of these; for completions only
 * @param messages for chats only
 * @param logprobs in chats whether to report probabilities, otherwise of how many tokens
 * @param tools definitions of functions, as {@link Function} reads them
 * @param toolChoice {@code auto}, {@code required}, {@code none}, or a function as {@link Function}
 * @param cacheSalt only requests with the same salt share cached prefixes, as in vLLM
 * @param priority as in vLLM
 * @param hint the class of the request for Ebb's eviction policy
 * @param returnAfterS seconds until the next request with this prefix, for Ebb's eviction policy
 */
public record CompletionRequest(
    @Nullable String model,
    @Nullable JsonNode prompt,
    @Nullable List<Message> messages,
    @Range(least = 1) @Nullable Integer maxTokens,
    @Range(least = 1) @Nullable Integer maxCompletionTokens,
    @Range(least = 1, most = MOST_ANSWERS) @Nullable Integer n,
    @Range(most = 100) @Nullable Double temperature,
    @Range(most = 1) @Nullable Double topP,
    @Range(least = -1) @Nullable Integer topK,
    @Nullable Long seed,
    @Range(least = -2, most = 2) @Nullable Double presencePenalty,
    @Range(least = -2, most = 2) @Nullable Double frequencyPenalty,
    @Range(most = 2) @Nullable Double repetitionPenalty,
    @JsonFormat(with = Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable List<String> stop,
    @Nullable Boolean ignoreEos,
    @Nullable Boolean returnTokenIds,
    @Nullable JsonNode logprobs,
    @Range(most = MOST_LOGPROBS) @Nullable Integer topLogprobs,
    @Nullable Boolean stream,
    @Nullable StreamOptions streamOptions,
    @Nullable JsonNode responseFormat,
    @Nullable List<JsonNode> tools,
    @Nullable JsonNode toolChoice,
    @Nullable Boolean parallelToolCalls,
    @Nullable String user,
    @Nullable String cacheSalt,
    @Range(least = Integer.MIN_VALUE) @Nullable Integer priority,
    @Range @Nullable Integer hint,
    @Range(most = 365 * 86_400) @Nullable Double returnAfterS) {

  /** The most answers to all prompts together. */
  public static final int MOST_ANSWERS = 128;

  /** The most tokens whose probabilities are reported in the place of one. */
  public static final int MOST_LOGPROBS = 20;

  /** Returns a request for a streamed answer, which is as deterministic as the server is. */
  public static CompletionRequest streamed(
      String model, int maxTokens, boolean ignoreEos, @Nullable String user) {
    // Servers that do not know the extension may refuse it.
    return of(model, null, null, maxTokens, ignoreEos ? true : null, user);
  }

  private static CompletionRequest of(
      @Nullable String model,
      @Nullable JsonNode prompt,
      @Nullable List<Message> messages,
      @Nullable Integer maxTokens,
      @Nullable Boolean ignoreEos,
      @Nullable String user) {
    return new CompletionRequest(
        model,
        prompt,
        messages,
        maxTokens,
        null,
        null,
        0.0,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        ignoreEos,
        null,
        null,
        null,
        true,
        new StreamOptions(true),
        null,
        null,
        null,
        null,
        user,
        null,
        null,
        null,
        null);
  }

  /** Returns the same for a prompt. */
  public CompletionRequest withPrompt(String text) {
    return of(model, JsonNodeFactory.instance.stringNode(text), null, maxTokens, ignoreEos, user);
  }

  /** Returns the same for a chat. */
  public CompletionRequest withMessages(List<Message> chat) {
    return of(model, null, List.copyOf(chat), maxTokens, ignoreEos, user);
  }

  /** Returns whether the answer is sent as a stream of events. */
  public boolean streams() {
    return Boolean.TRUE.equals(stream);
  }

  /** Returns whether the stream ends with the usage. */
  public boolean wantsUsage() {
    return streamOptions != null && Boolean.TRUE.equals(streamOptions.includeUsage);
  }

  /** Options of a stream. */
  public record StreamOptions(@Nullable Boolean includeUsage) {}

  /**
   * A message of a chat.
   *
   * @param content a text, or a list of parts with texts
   */
  public record Message(
      @Nullable String role,
      @JsonInclude(Include.ALWAYS) @Nullable JsonNode content,
      @Nullable List<Call> toolCalls) {

    /** Returns a message with a text. */
    public static Message of(String role, String content) {
      return new Message(role, JsonNodeFactory.instance.stringNode(content), null);
    }
  }

  /**
   * A call of a function.
   *
   * @param index its number among the calls of an answer; in a stream only
   */
  public record Call(
      @Nullable String id,
      @Nullable String type,
      @Nullable FunctionCall function,
      @Nullable Integer index) {}

  /**
   * The function of a call.
   *
   * @param arguments a JSON object, as text
   */
  public record FunctionCall(String name, String arguments) {

    public FunctionCall {
      name = requireNonNullElse(name, "");
      arguments = requireNonNullElse(arguments, "{}");
    }
  }

  /** A function that can be called, or must be. */
  public record Function(@Nullable String type, @Nullable Definition function) {

    /** Returns its name; empty if it has none. */
    public String name() {
      return function == null || function.name == null ? "" : function.name;
    }

    /** Returns the JSON schema of its arguments; the node of null if it has none. */
    public JsonNode parameters() {
      return function == null || function.parameters == null
          ? JsonNodeFactory.instance.nullNode()
          : function.parameters;
    }
  }

  /**
   * The definition of a function.
   *
   * @param parameters the JSON schema of its arguments
   */
  public record Definition(@Nullable String name, @Nullable JsonNode parameters) {}

  /** The form of an answer: {@code text}, {@code json_object} or {@code json_schema}. */
  public record ResponseFormat(@Nullable String type, @Nullable NamedSchema jsonSchema) {}

  /** A JSON schema with a name. */
  public record NamedSchema(@Nullable String name, @Nullable JsonNode schema) {}
}
