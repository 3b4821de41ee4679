package dev.ebb.server.tools;

import org.jspecify.annotations.Nullable;

/** Notices that a model begins to call a function without being asked to. */
public final class CallTrigger {

  private final ToolUse tools;
  private final StringBuilder tail = new StringBuilder();
  private boolean over;

  private CallTrigger(ToolUse tools) {
    this.tools = tools;
  }

  /** Returns the trigger of an answer; null if it needs none. */
  public static @Nullable CallTrigger of(ToolUse tools) {
    return tools.required() || tools.callable().isEmpty() || tools.format().begin().isEmpty()
        ? null
        : new CallTrigger(tools);
  }

  /**
   * Adds a text of the answer.
   *
   * @return whether a call begins after it; if the text has a part of the call, it is not limited
   */
  public boolean begins(String text) {
    String begin = tools.format().begin();
    tail.append(text);
    int at = over ? -1 : tail.indexOf(begin);
    if (at >= 0) {
      over = true;
      return tail.substring(at + begin.length()).isBlank();
    }
    tail.delete(0, Math.max(0, tail.length() - begin.length() + 1));
    return false;
  }

  /** Returns the grammar of the rest of the call. */
  public String grammar() {
    return tools.grammar(true);
  }
}
