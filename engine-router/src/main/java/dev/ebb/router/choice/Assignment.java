package dev.ebb.router.choice;

import dev.ebb.router.prompt.PromptChain;
import java.util.List;

/** A request at an engine. Its end must be reported: later calls have no effect. */
public final class Assignment {

  private final EngineSelector selector;
  final RoutedEngine engine;
  final List<PromptChain> prompts;

  /** For each prompt the blocks that were believed, and those that were surely computed before. */
  final int[] matched;

  final int[] proven;

  /** What the shared server was believed to have. */
  final int[] shared;

  final double waitingTokens;
  boolean begun;
  boolean over;

  Assignment(
      EngineSelector selector,
      RoutedEngine engine,
      List<PromptChain> prompts,
      int[] matched,
      int[] proven,
      int[] shared,
      double waitingTokens) {
    this.selector = selector;
    this.engine = engine;
    this.prompts = prompts;
    this.matched = matched;
    this.proven = proven;
    this.shared = shared;
    this.waitingTokens = waitingTokens;
  }

  /** Returns the engine of the request. */
  public RoutedEngine engine() {
    return engine;
  }

  /** The answer has begun, so that the prompt is computed. */
  public void began() {
    selector.began(this);
  }

  /**
   * The answer has ended, with what the engine reports.
   *
   * @param promptTokens the tokens of all prompts
   * @param cachedTokens those of them that were cached; negative if the engine does not report them
   */
  public void answered(long promptTokens, long cachedTokens) {
    selector.answered(this, promptTokens, cachedTokens);
  }

  /** The answer has ended, and nothing was reported. */
  public void ended() {
    selector.ended(this);
  }

  /** The engine has failed before it began to answer. */
  public void failed() {
    selector.unanswered(this, true);
  }

  /** The engine has refused the request, or the client has gone before the answer. */
  public void refused() {
    selector.unanswered(this, false);
  }
}
