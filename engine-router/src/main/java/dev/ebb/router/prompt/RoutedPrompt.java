package dev.ebb.router.prompt;

import dev.ebb.host.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the router reads of a request; engines check the rest.
 *
 * @param prompts empty if they cannot be read
 * @param model null if the request names none
 * @param addsUsage whether {@link #body} asks for the usage in the place of the client
 * @param body the request for the engine
 */
@SuppressWarnings("ArrayRecordComponent")
public record RoutedPrompt(
    List<PromptChain> prompts, @Nullable String model, boolean addsUsage, byte[] body) {

  private static final int MOST_PROMPTS = 128;
  private static final byte[] USAGE =
      "\"stream_options\":{\"include_usage\":true},".getBytes(StandardCharsets.UTF_8);

  /**
   * Reads a request.
   *
   * @param owner the tenant of the API key; empty if there is none
   * @param shared whether tenants share cached prefixes
   * @throws dev.ebb.host.http.HttpException if it is not JSON
   */
  public static RoutedPrompt read(byte[] body, boolean chat, String owner, boolean shared) {
    JsonNode request = Json.parse(body);
    String tenant = shared ? "" : owner.isEmpty() ? text(request, "user") : "key " + owner;
    long namespace =
        PromptChain.namespace(
            List.of(
                chat ? "chat" : "text",
                text(request, "model"),
                tenant,
                text(request, "cache_salt"),
                chat ? request.path("tools").toString() : ""));
    boolean adds = request.path("stream").asBoolean(false) && !request.has("stream_options");
    String model = text(request, "model");
    return new RoutedPrompt(
        chat
            ? List.of(PromptChain.ofText(namespace, messages(request.path("messages"))))
            : prompts(namespace, request.path("prompt")),
        model.isEmpty() ? null : model,
        adds,
        adds ? withUsage(body) : body);
  }

  private static String text(JsonNode request, String name) {
    JsonNode value = request.path(name);
    return value.isString() ? value.stringValue() : "";
  }

  /** Returns the messages in the order of a chat template, so that a longer chat continues it. */
  private static String messages(JsonNode messages) {
    StringBuilder all = new StringBuilder();
    for (JsonNode message : messages) {
      JsonNode content = message.path("content");
      all.append(text(message, "role"))
          .append('\n')
          .append(content.isString() ? content.stringValue() : content.toString())
          .append(message.path("tool_calls"))
          .append('\0');
    }
    return all.toString();
  }

  private static List<PromptChain> prompts(long namespace, JsonNode prompt) {
    if (prompt.isArray() && !prompt.isEmpty() && !prompt.get(0).isNumber()) {
      List<PromptChain> all = new ArrayList<>();
      for (int i = 0; i < Math.min(MOST_PROMPTS, prompt.size()); i++) {
        all.addAll(prompts(namespace, prompt.get(i)));
      }
      return all;
    } else if (prompt.isString()) {
      return List.of(PromptChain.ofText(namespace, prompt.stringValue()));
    }
    int[] tokens =
        StreamSupport.stream(prompt.spliterator(), false)
            .mapToInt(token -> token.asInt(0))
            .toArray();
    return tokens.length == 0 ? List.of() : List.of(PromptChain.ofTokens(namespace, tokens));
  }

  /** Adds a property to the start of the object, so that the rest keeps its bytes. */
  private static byte[] withUsage(byte[] body) {
    int start = 0;
    while (body[start] != '{') {
      start++;
    }
    byte[] longer = new byte[body.length + USAGE.length];
    System.arraycopy(body, 0, longer, 0, start + 1);
    System.arraycopy(USAGE, 0, longer, start + 1, USAGE.length);
    System.arraycopy(body, start + 1, longer, start + 1 + USAGE.length, body.length - start - 1);
    return longer;
  }
}
