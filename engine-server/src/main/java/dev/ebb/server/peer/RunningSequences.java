package dev.ebb.server.peer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sequences that an engine computes, or has moved to another one. */
public record RunningSequences(List<Running> sequences) {

  /**
   * A sequence.
   *
   * @param id its number in the engine
   * @param tenant that of its client; null if unknown
   * @param answerTokens the tokens of the answer so far
   * @param maxTokens the most tokens of the answer
   * @param moved whether another engine computes it
   * @param to the URL of that engine; null if it is computed here
   */
  public record Running(
      long id,
      @Nullable String tenant,
      int promptTokens,
      int answerTokens,
      int maxTokens,
      boolean moved,
      @Nullable String to) {}
}
