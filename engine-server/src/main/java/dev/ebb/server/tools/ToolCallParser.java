package dev.ebb.server.tools;

import dev.ebb.host.openai.CompletionRequest.FunctionCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds calls in the text of an answer as it grows, and separates them from its content. */
public final class ToolCallParser {

  private static final JsonMapper JSON = new JsonMapper();

  private final ToolFormat format;
  private final Set<String> names;
  private final StringBuilder text = new StringBuilder();
  private int sent;

  /**
   * Creates a parser for one answer.
   *
   * @param names the functions that can be called
   */
  public ToolCallParser(ToolFormat format, Set<String> names) {
    this.format = format;
    this.names = Set.copyOf(names);
  }

  /** Adds a text, and returns what is known to be content. */
  public String add(String more) {
    text.append(more);
    return until(contentEnd());
  }

  /** Returns where a call begins, or could begin as the text goes on. */
  private int contentEnd() {
    if (format.begin.isEmpty()) {
      int first = firstVisible();
      return first < text.length() && text.charAt(first) != '{' ? text.length() : 0;
    }
    int begin = text.indexOf(format.begin, sent);
    if (begin >= 0) {
      return begin;
    }
    int held = Math.min(format.begin.length() - 1, text.length());
    while (!format.begin.startsWith(text.substring(text.length() - held))) {
      held--;
    }
    return text.length() - held;
  }

  private int firstVisible() {
    int first = 0;
    while (first < text.length() && Character.isWhitespace(text.charAt(first))) {
      first++;
    }
    return first;
  }

  private String until(int end) {
    String content = text.substring(Math.min(sent, end), end);
    sent = Math.max(sent, end);
    return content;
  }

  /** Returns the calls of the complete answer; empty if it has none, or one is malformed. */
  public List<FunctionCall> calls() {
    List<FunctionCall> calls = new ArrayList<>();
    for (String json : parts()) {
      FunctionCall call = call(json);
      if (call == null) {
        return List.of();
      }
      calls.add(call);
    }
    return calls;
  }

  private List<String> parts() {
    if (format.begin.isEmpty()) {
      return List.of(text.toString());
    }
    List<String> parts = new ArrayList<>();
    int begin = text.indexOf(format.begin);
    while (begin >= 0) {
      int from = begin + format.begin.length();
      int to = text.indexOf(format.end, from);
      parts.add(text.substring(from, to < 0 ? text.length() : to));
      begin = to < 0 ? -1 : text.indexOf(format.begin, to);
    }
    return parts;
  }

  private @Nullable FunctionCall call(String json) {
    try {
      JsonNode call = JSON.readTree(json);
      String name = call.path("name").asString("");
      JsonNode arguments = call.path(format.arguments);
      return names.contains(name) && arguments.isObject()
          ? new FunctionCall(name, arguments.toString())
          : null;
    } catch (JacksonException cutOff) {
      return null;
    }
  }

  /** Returns the content that {@link #add} has held back, if it was not the text of calls. */
  public String rest() {
    return calls().isEmpty() ? until(text.length()) : "";
  }
}
