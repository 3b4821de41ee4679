package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.ChatHistory.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the bodies of requests. Answers are streamed and as deterministic as the server is. */
final class EngineMessages {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final EngineApi api;
  private final String model;
  private final boolean ignoreEos;

  EngineMessages(EngineApi api, String model, boolean ignoreEos) {
    this.api = api;
    this.model = model;
    this.ignoreEos = ignoreEos;
  }

  /** Returns a request for one token. */
  String probe(String prompt) {
    ObjectNode body =
        api == EngineApi.CHAT ? chat(List.of(new Message(true, prompt))) : completion(prompt);
    return written(body, 1, null);
  }

  String completion(String prompt, int maxTokens, @Nullable String tenant) {
    return written(completion(prompt), maxTokens, tenant);
  }

  String chat(List<Message> messages, int maxTokens, @Nullable String tenant) {
    return written(chat(messages), maxTokens, tenant);
  }

  private static ObjectNode completion(String prompt) {
    return JSON.createObjectNode().put("prompt", prompt);
  }

  private static ObjectNode chat(List<Message> messages) {
    ObjectNode body = JSON.createObjectNode();
    ArrayNode list = body.putArray("messages");
    for (Message message : messages) {
      list.addObject()
          .put("role", message.ofUser() ? "user" : "assistant")
          .put("content", message.text());
    }
    return body;
  }

  private String written(ObjectNode body, int maxTokens, @Nullable String tenant) {
    body.put("model", model).put("max_tokens", maxTokens).put("temperature", 0).put("stream", true);
    body.putObject("stream_options").put("include_usage", true);
    if (ignoreEos) {
      body.put("ignore_eos", true);
    }
    if (tenant != null) {
      body.put("user", tenant);
    }
    return JSON.writeValueAsString(body);
  }
}
