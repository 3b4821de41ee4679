package dev.ebb.llama.server;

import static dev.ebb.llama.server.CompletionParser.shown;

import dev.ebb.host.http.HttpException;
import dev.ebb.llama.binding.ChatMessage;
import dev.ebb.llama.tools.ToolCall;
import dev.ebb.llama.tools.ToolFormat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the messages of a chat. */
final class ChatParser {

  private final JsonNode body;
  private final @Nullable ToolFormat format;

  /**
   * Creates a parser.
   *
   * @param format how the model's template writes calls of functions; null if it does not
   */
  ChatParser(JsonNode body, @Nullable ToolFormat format) {
    this.body = body;
    this.format = format;
  }

  /** Returns the messages, at least one. */
  List<ChatMessage> messages() {
    JsonNode messages = body.path("messages");
    if (!messages.isArray() || messages.isEmpty()) {
      throw HttpException.bad(
          "messages = '%s' must be a list of at least one message".formatted(shown(messages)));
    }
    List<ChatMessage> read = new ArrayList<>();
    for (JsonNode message : messages) {
      JsonNode role = message.path("role");
      if (!role.isString()) {
        throw HttpException.bad(
            "messages: '%s' needs a role: system, user, assistant or tool"
                .formatted(shown(message)));
      }
      read.add(message(role.stringValue(), message));
    }
    return read;
  }

  private ChatMessage message(String role, JsonNode message) {
    String content = content(message.path("content"));
    try {
      if (role.equals("tool")) {
        return format().result(content);
      } else if (role.equals("assistant") && !message.path("tool_calls").isEmpty()) {
        return format().called(content, calls(message.get("tool_calls")));
      }
      return new ChatMessage(role.equals("developer") ? "system" : role, content);
    } catch (IllegalArgumentException wrong) {
      throw HttpException.bad(String.valueOf(wrong.getMessage()));
    }
  }

  private ToolFormat format() {
    if (format == null) {
      throw HttpException.bad(
          "a message belongs to a call of a function, but the model's chat template has no tools;"
              + " leave it out");
    }
    return format;
  }

  private static List<ToolCall> calls(JsonNode calls) {
    List<ToolCall> read = new ArrayList<>();
    for (JsonNode call : calls) {
      JsonNode function = call.path("function");
      read.add(
          new ToolCall(
              function.path("name").asString(""), function.path("arguments").asString("{}")));
    }
    return read;
  }

  /** Reads a text, or a list of parts with text. */
  private static String content(JsonNode content) {
    if (content.isMissingNode() || content.isNull()) {
      return "";
    } else if (content.isString()) {
      return content.stringValue();
    } else if (!content.isArray()) {
      throw HttpException.bad(
          "content = '%s' must be a text or a list of texts".formatted(shown(content)));
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      JsonNode piece = part.get("text");
      if (piece == null || !piece.isString()) {
        throw HttpException.bad(
            "content: '%s' is not a text; this server supports text only".formatted(shown(part)));
      }
      text.append(piece.stringValue());
    }
    return text.toString();
  }
}
