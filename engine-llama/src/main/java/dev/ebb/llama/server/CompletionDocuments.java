package dev.ebb.llama.server;

import dev.ebb.host.http.Json;
import dev.ebb.llama.tools.ToolCall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answers of a request in the format of the OpenAI API.
 *
 * @param id its id
 * @param created the time in seconds since 1970
 * @param model the served name of the model
 * @param chat whether it is a chat completion
 */
record CompletionDocuments(String id, long created, String model, boolean chat) {

  /** Returns the whole answers. */
  String whole(Answers answers) {
    Map<String, @Nullable Object> document =
        document("", answers.all().stream().map(this::choice).toList());
    document.put("usage", usage(answers));
    return Json.text(document);
  }

  private Map<String, @Nullable Object> choice(Answer answer) {
    Map<String, @Nullable Object> choice =
        choice(answer.index, logprobs(0, answer.logprobs), answer.finish());
    if (chat) {
      choice.put("message", message(answer));
    } else {
      choice.put("text", answer.text());
    }
    if (answer.ended != null && answer.ended.tokenIds() != null) {
      choice.put("token_ids", answer.ended.tokenIds());
    }
    return choice;
  }

  private static Map<String, @Nullable Object> message(Answer answer) {
    List<ToolCall> calls = answer.calls();
    Map<String, @Nullable Object> message = new LinkedHashMap<>();
    message.put("role", "assistant");
    message.put("content", calls.isEmpty() || !answer.text().isEmpty() ? answer.text() : null);
    if (!calls.isEmpty()) {
      message.put("tool_calls", calls(answer, calls));
    }
    return message;
  }

  private static List<Map<String, Object>> numbered(Answer answer) {
    List<Map<String, Object>> calls = calls(answer, answer.calls());
    for (int i = 0; i < calls.size(); i++) {
      calls.get(i).put("index", i);
    }
    return calls;
  }

  private static List<Map<String, Object>> calls(Answer answer, List<ToolCall> calls) {
    List<Map<String, Object>> documents = new ArrayList<>();
    for (ToolCall call : calls) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("id", answer.callId(documents.size()));
      document.put("type", "function");
      document.put("function", Map.of("name", call.name(), "arguments", call.arguments()));
      documents.add(document);
    }
    return documents;
  }

  /** Returns the first chunk of each answer in a stream: a chat's says who speaks. */
  List<String> first(Answers answers) {
    return chat
        ? answers.all().stream()
            .map(answer -> chunk(answer, Map.of("role", "assistant", "content", ""), "", null))
            .toList()
        : List.of();
  }

  /** Returns a chunk with text. */
  String chunk(Answers.Part part) {
    Map<String, @Nullable Object> choice =
        choice(part.answer().index, logprobs(part.offset(), part.logprobs()), null);
    put(choice, Map.of("content", part.text()), part.text());
    return Json.text(document(".chunk", List.of(choice)));
  }

  /** Returns a chunk with the calls of functions. */
  String callsChunk(Answer answer) {
    return chunk(answer, Map.of("tool_calls", numbered(answer)), "", null);
  }

  /** Returns the last chunk of an answer. */
  String last(Answer answer) {
    return chunk(answer, Map.of(), "", answer.finish());
  }

  private String chunk(Answer answer, Map<String, ?> delta, String text, @Nullable String finish) {
    Map<String, @Nullable Object> choice = choice(answer.index, null, finish);
    put(choice, delta, text);
    return Json.text(document(".chunk", List.of(choice)));
  }

  private void put(Map<String, @Nullable Object> choice, Map<String, ?> delta, String text) {
    if (chat) {
      choice.put("delta", delta);
    } else {
      choice.put("text", text);
    }
  }

  /** Returns the chunk with the usage, which has no choices. */
  String usageChunk(Answers answers) {
    Map<String, @Nullable Object> document = document(".chunk", List.of());
    document.put("usage", usage(answers));
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

  private Map<String, @Nullable Object> choice(
      int index, @Nullable Object logprobs, @Nullable String finish) {
    Map<String, @Nullable Object> choice = new LinkedHashMap<>();
    choice.put("index", index);
    choice.put("logprobs", logprobs);
    choice.put("finish_reason", finish);
    return choice;
  }

  private @Nullable Object logprobs(int offset, List<TokenLogprobs> tokens) {
    if (tokens.isEmpty()) {
      return null;
    }
    return chat ? LogprobDocuments.chat(tokens) : LogprobDocuments.text(offset, tokens);
  }

  private static Map<String, Object> usage(Answers answers) {
    int prompt = answers.promptTokens();
    int completion = answers.completionTokens();
    Map<String, Object> usage = new LinkedHashMap<>();
    usage.put("prompt_tokens", prompt);
    usage.put("completion_tokens", completion);
    usage.put("total_tokens", prompt + completion);
    usage.put("prompt_tokens_details", Map.of("cached_tokens", answers.cachedTokens()));
    return usage;
  }
}
