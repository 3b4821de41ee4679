package dev.ebb.server.tools;

import dev.ebb.host.openai.CompletionRequest.FunctionCall;
import dev.ebb.server.grammar.JsonGrammar;
import dev.ebb.server.model.ChatMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * A way to describe functions in a prompt. llama.cpp applies a template to messages only, so the
 * functions are put into messages as the template itself would.
 */
public enum ToolFormat {

  /** That of Hermes and Qwen: calls between {@code <tool_call>} tags. */
  HERMES("<tool_call>", "</tool_call>", "arguments"),

  /** That of Llama 3: the answer is a call, without tags. */
  LLAMA("", "", "parameters");

  private static final String DEFINITIONS = "DEFINITIONS";

  private static final String HERMES_TOOLS =
      """
      # Tools

      You may call one or more functions to assist with the user query.

      You are provided with function signatures within <tools></tools> XML tags:
      <tools>
      DEFINITIONS
      </tools>

      For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
      <tool_call>
      {"name": <function-name>, "arguments": <args-json-object>}
      </tool_call>\
      """;

  private static final String LLAMA_TOOLS =
      """
      Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.

      Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}. Do not use variables.

      DEFINITIONS

      """;

  final String begin;
  final String end;
  final String arguments;

  ToolFormat(String begin, String end, String arguments) {
    this.begin = begin;
    this.end = end;
    this.arguments = arguments;
  }

  /** Returns the format of a chat template; empty if it knows no functions. */
  public static Optional<ToolFormat> of(String template) {
    if (template.contains("<tool_call>")) {
      return Optional.of(HERMES);
    }
    boolean llama = template.contains("<|start_header_id|>") && template.contains("tools");
    return llama ? Optional.of(LLAMA) : Optional.empty();
  }

  /** Returns the text that begins a call; empty if a call has no such text. */
  public String begin() {
    return begin;
  }

  /** Returns messages that describe the functions too. */
  public List<ChatMessage> describe(List<Tool> tools, List<ChatMessage> messages) {
    String definitions =
        tools.stream()
            .map(tool -> tool.definition().toString())
            .collect(Collectors.joining(this == HERMES ? "\n" : "\n\n"));
    return this == HERMES
        ? behindSystem(HERMES_TOOLS.replace(DEFINITIONS, definitions), messages)
        : beforeUser(LLAMA_TOOLS.replace(DEFINITIONS, definitions), messages);
  }

  private static List<ChatMessage> behindSystem(String text, List<ChatMessage> messages) {
    List<ChatMessage> all = new ArrayList<>(messages);
    if (all.getFirst().role().equals("system")) {
      all.set(0, new ChatMessage("system", all.getFirst().content() + "\n\n" + text));
    } else {
      all.addFirst(new ChatMessage("system", text));
    }
    return all;
  }

  private static List<ChatMessage> beforeUser(String text, List<ChatMessage> messages) {
    List<ChatMessage> all = new ArrayList<>(messages);
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).role().equals("user")) {
        all.set(i, new ChatMessage("user", text + all.get(i).content()));
        return all;
      }
    }
    all.addFirst(new ChatMessage("system", text));
    return all;
  }

  /** Returns the message of an assistant that has called functions. */
  public ChatMessage called(String content, List<FunctionCall> calls) {
    String text =
        calls.stream().map(this::text).collect(Collectors.joining(this == HERMES ? "\n" : "; "));
    return new ChatMessage("assistant", content.isEmpty() ? text : content + "\n" + text);
  }

  private String text(FunctionCall call) {
    String json =
        "{\"name\": \"%s\", \"%s\": %s}".formatted(call.name(), arguments, call.arguments());
    return this == HERMES ? begin + "\n" + json + "\n" + end : json;
  }

  /** Returns the message with the result of a call. */
  public ChatMessage result(String content) {
    return this == HERMES
        ? new ChatMessage("user", "<tool_response>\n" + content + "\n</tool_response>")
        : new ChatMessage("ipython", content);
  }

  /**
   * Returns the grammar of calls.
   *
   * @param several whether more than one call is allowed, if the format has a text between them
   * @param begun whether the text that begins the first call was generated already
   * @throws IllegalArgumentException if the schema of a function is not supported
   */
  public String grammar(List<Tool> tools, boolean several, boolean begun) {
    Map<String, JsonNode> functions = new LinkedHashMap<>();
    tools.forEach(tool -> functions.put(tool.name(), tool.parameters()));
    return JsonGrammar.calls(begin, arguments, end, functions, several && !begin.isEmpty(), begun);
  }
}
