package dev.ebb.server.completion;

import static dev.ebb.host.openai.OpenAiJson.shown;
import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.http.HttpException;
import dev.ebb.host.openai.CompletionRequest.Call;
import dev.ebb.host.openai.CompletionRequest.FunctionCall;
import dev.ebb.host.openai.CompletionRequest.Message;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.server.model.ChatMessage;
import dev.ebb.server.tools.ToolFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the messages of a chat.
 *
 * @param format how the model's template writes calls of functions; null if it does not
 */
record ChatParser(@Nullable ToolFormat format) {

  /**
   * Returns the messages, at least one.
   *
   * @throws IllegalArgumentException if one of them cannot be used
   */
  List<ChatMessage> messages(@Nullable List<Message> messages) {
    if (messages == null || messages.isEmpty()) {
      throw HttpException.bad(
          "the property 'messages' is missing or empty; send a list of at least one message");
    }
    return messages.stream().map(this::message).toList();
  }

  private ChatMessage message(@Nullable Message message) {
    String role = message == null ? null : message.role();
    if (message == null || role == null) {
      throw HttpException.bad(
          "messages: '%s' needs a role: system, user, assistant or tool"
              .formatted(message == null ? null : OpenAiJson.text(message)));
    }
    String content = content(message.content());
    List<Call> calls = message.toolCalls();
    if (role.equals("tool")) {
      return requireFormat().result(content);
    } else if (role.equals("assistant") && calls != null && !calls.isEmpty()) {
      return requireFormat().called(content, calls.stream().map(ChatParser::function).toList());
    }
    return new ChatMessage(role.equals("developer") ? "system" : role, content);
  }

  private ToolFormat requireFormat() {
    if (format == null) {
      throw HttpException.bad(
          "a message belongs to a call of a function, but the model's chat template has no tools;"
              + " leave it out");
    }
    return format;
  }

  private static FunctionCall function(@Nullable Call call) {
    FunctionCall function = call == null ? null : call.function();
    return requireNonNullElse(function, new FunctionCall("", "{}"));
  }

  /** Reads a text, or a list of parts with text. */
  private static String content(@Nullable JsonNode content) {
    if (content == null || content.isNull()) {
      return "";
    } else if (content.isString()) {
      return content.stringValue();
    } else if (!content.isArray()) {
      throw HttpException.bad(
          "content = '%s' must be a text or a list of texts".formatted(shown(content)));
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      JsonNode piece = part.path("text");
      if (!piece.isString()) {
        throw HttpException.bad(
            "content: '%s' is not a text; this server supports text only".formatted(shown(part)));
      }
      text.append(piece.stringValue());
    }
    return text.toString();
  }
}
