package dev.ebb.server.completion;

import dev.ebb.host.openai.CompletionRequest.FunctionCall;
import dev.ebb.server.tools.ToolCallParser;
import dev.ebb.server.tools.ToolUse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One answer of a request, as far as it is known. For the thread of its client. */
final class Answer {

  final int index;
  private final @Nullable ToolCallParser parser;
  private final StringBuilder text = new StringBuilder();
  final List<TokenLogprobs> logprobs = new ArrayList<>();
  private final String id = UUID.randomUUID().toString().substring(0, 8);
  int cachedTokens;
  Completion.@Nullable Ended ended;

  Answer(int index, @Nullable ToolUse tools) {
    this.index = index;
    parser = tools == null || tools.callable().isEmpty() ? null : tools.parser();
  }

  /** Adds a text, and returns the part of it that can be sent. */
  String add(Completion.Text part) {
    logprobs.addAll(part.logprobs());
    String content = parser == null ? part.text() : parser.add(part.text());
    text.append(content);
    return content;
  }

  /** Ends it, and returns the text that was held back. */
  String end(Completion.Ended last) {
    ended = last;
    String content = parser == null ? "" : parser.rest();
    text.append(content);
    return content;
  }

  int length() {
    return text.length();
  }

  String text() {
    return text.toString();
  }

  List<FunctionCall> calls() {
    return parser == null ? List.of() : parser.calls();
  }

  /** Returns the id of a call, by which the client answers it. */
  String callId(int call) {
    return "call_%s_%d_%d".formatted(id, index, call);
  }

  /** Returns why it ended, as the OpenAI API names it. */
  String finish() {
    boolean stopped = ended != null && ended.stopped();
    return stopped ? calls().isEmpty() ? "stop" : "tool_calls" : "length";
  }
}
