package dev.ebb.host.enginebench;

import dev.ebb.host.openai.CompletionRequest;
import dev.ebb.host.openai.CompletionRequest.Message;
import dev.ebb.host.openai.OpenAiJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the bodies of requests. Answers are streamed and as deterministic as the server is. */
record EngineMessages(EngineTarget.Api api, String model, boolean ignoreEos) {

  /** Returns a request for one token. */
  String probe(String prompt) {
    return api == EngineTarget.Api.CHAT
        ? chat(List.of(Message.of("user", prompt)), 1, null)
        : completion(prompt, 1, null);
  }

  String completion(String prompt, int maxTokens, @Nullable String tenant) {
    return OpenAiJson.text(request(maxTokens, tenant).withPrompt(prompt));
  }

  String chat(List<Message> messages, int maxTokens, @Nullable String tenant) {
    return OpenAiJson.text(request(maxTokens, tenant).withMessages(messages));
  }

  private CompletionRequest request(int maxTokens, @Nullable String tenant) {
    return CompletionRequest.streamed(model, maxTokens, ignoreEos, tenant);
  }
}
