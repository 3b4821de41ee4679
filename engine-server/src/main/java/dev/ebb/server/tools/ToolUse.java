package dev.ebb.server.tools;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The functions of a request.
 *
 * @param described those that the prompt describes
 * @param callable those that the model can call; empty for none
 * @param required whether the answer must be a call
 */
public record ToolUse(
    ToolFormat format,
    List<Tool> described,
    List<Tool> callable,
    boolean required,
    boolean several) {

  /** Returns a parser for one answer. */
  public ToolCallParser parser() {
    return new ToolCallParser(
        format, callable.stream().map(Tool::name).collect(Collectors.toSet()));
  }

  /**
   * Returns the grammar of the calls.
   *
   * @param begun whether the model has begun a call without being asked
   * @throws IllegalArgumentException if the schema of a function is not supported
   */
  public String grammar(boolean begun) {
    return format.grammar(callable, several, begun);
  }
}
