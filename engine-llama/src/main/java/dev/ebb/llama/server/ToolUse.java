package dev.ebb.llama.server;

import dev.ebb.llama.tools.Tool;
import dev.ebb.llama.tools.ToolCallParser;
import dev.ebb.llama.tools.ToolFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The functions of a request.
 *
 * @param described those that the prompt describes
 * @param callable those that the model can call; empty for none
 * @param required whether the answer must be a call
 * @param several whether the answer may have several calls
 */
record ToolUse(
    ToolFormat format,
    List<Tool> described,
    List<Tool> callable,
    boolean required,
    boolean several) {

  ToolCallParser parser() {
    return new ToolCallParser(
        format, callable.stream().map(Tool::name).collect(Collectors.toSet()));
  }

  /**
   * Returns the grammar of the calls.
   *
   * @param begun whether the model has begun a call without being asked
   */
  String grammar(boolean begun) {
    return format.grammar(callable, several, begun);
  }
}
