package dev.ebb.llama.server;

import dev.ebb.host.http.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one answer in the format of the OpenAI API.
 *
 * @param id its id
 * @param created the time in seconds since 1970
 * @param model the served name of the model
 * @param chat whether it is a chat completion
 * @param promptTokens the length of the prompt
 * @param cachedTokens tokens of the prompt that were not computed
 */
record CompletionDocuments(
    String id, long created, String model, boolean chat, int promptTokens, int cachedTokens) {

  /** Returns the whole answer. */
  String whole(String text, Completion.Ended ended) {
    Map<String, @Nullable Object> choice = choice(finish(ended));
    if (chat) {
      choice.put("message", Map.of("role", "assistant", "content", text));
    } else {
      choice.put("text", text);
    }
    if (ended.tokenIds() != null) {
      choice.put("token_ids", ended.tokenIds());
    }
    Map<String, @Nullable Object> document = document("", List.of(choice));
    document.put("usage", usage(ended.tokens()));
    return Json.text(document);
  }

  /** Returns the first chunk of a stream: a chat's says who speaks; null if there is none. */
  @Nullable String first() {
    return chat ? chunk(Map.of("role", "assistant", "content", ""), "", null) : null;
  }

  /** Returns a chunk with text. */
  String chunk(String text) {
    return chunk(Map.of("content", text), text, null);
  }

  /** Returns the last chunk with a choice. */
  String last(Completion.Ended ended) {
    return chunk(Map.of(), "", finish(ended));
  }

  private String chunk(Map<String, String> delta, String text, @Nullable String finish) {
    Map<String, @Nullable Object> choice = choice(finish);
    if (chat) {
      choice.put("delta", delta);
    } else {
      choice.put("text", text);
    }
    return Json.text(document(".chunk", List.of(choice)));
  }

  /** Returns the chunk with the usage, which has no choices. */
  String usageChunk(Completion.Ended ended) {
    Map<String, @Nullable Object> document = document(".chunk", List.of());
    document.put("usage", usage(ended.tokens()));
    return Json.text(document);
  }

  private Map<String, @Nullable Object> document(String part, List<?> choices) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("id", id);
    document.put("object", chat ? "chat.completion" + part : "text_completion");
    document.put("created", created);
    document.put("model", model);
    document.put("choices", choices);
    return document;
  }

  private static Map<String, @Nullable Object> choice(@Nullable String finish) {
    Map<String, @Nullable Object> choice = new LinkedHashMap<>();
    choice.put("index", 0);
    choice.put("logprobs", null);
    choice.put("finish_reason", finish);
    return choice;
  }

  private static String finish(Completion.Ended ended) {
    return ended.stopped() ? "stop" : "length";
  }

  private Map<String, Object> usage(int tokens) {
    Map<String, Object> usage = new LinkedHashMap<>();
    usage.put("prompt_tokens", promptTokens);
    usage.put("completion_tokens", tokens);
    usage.put("total_tokens", promptTokens + tokens);
    usage.put("prompt_tokens_details", Map.of("cached_tokens", cachedTokens));
    return usage;
  }
}
