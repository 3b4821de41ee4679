package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.ChatHistory.Message;
import dev.ebb.host.htmlreport.JsonFields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the bodies of requests. Answers are streamed and as deterministic as the server is. */
record EngineMessages(EngineApi api, String model, boolean ignoreEos) {

  /** Returns a request for one token. */
  String probe(String prompt) {
    return api == EngineApi.CHAT
        ? chat(List.of(new Message(true, prompt)), 1, null)
        : completion(prompt, 1, null);
  }

  String completion(String prompt, int maxTokens, @Nullable String tenant) {
    return written(new JsonFields().put("prompt", prompt), maxTokens, tenant);
  }

  String chat(List<Message> messages, int maxTokens, @Nullable String tenant) {
    JsonFields body =
        new JsonFields()
            .list(
                "messages",
                messages,
                message ->
                    new JsonFields()
                        .put("role", message.ofUser() ? "user" : "assistant")
                        .put("content", message.text()));
    return written(body, maxTokens, tenant);
  }

  private String written(JsonFields body, int maxTokens, @Nullable String tenant) {
    body.put("model", model)
        .put("max_tokens", maxTokens)
        .put("temperature", 0)
        .put("stream", true)
        .put("stream_options", new JsonFields().put("include_usage", true));
    if (ignoreEos) {
      body.put("ignore_eos", true);
    }
    if (tenant != null) {
      body.put("user", tenant);
    }
    return body.toString();
  }
}
