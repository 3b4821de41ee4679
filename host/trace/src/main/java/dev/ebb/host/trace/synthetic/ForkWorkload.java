package dev.ebb.host.trace.synthetic;

/**
 * Agents whose tasks share a long prompt and fork: an attempt begins again at a random depth of a
 * prompt so far, and diverges there, as searches with backtracking and edited conversations do. An
 * attempt may fork too.
 */
final class ForkWorkload extends ConversationWorkload {

  private static final double FORKING = 0.25;
  private static final double FORK_TURNS = 3;

  /** The requests of a fork, and of the forks of it. */
  private static final double EACH_FORK = FORK_TURNS / (1 - FORKING * FORK_TURNS);

  private final double turns;

  ForkWorkload(SyntheticOptions options) {
    super("fork", options, 8000, options.turns * (1 + FORKING * EACH_FORK));
    turns = options.turns;
  }

  @Override
  int turns() {
    return dice.times(turns);
  }

  @Override
  long inputTokens(int turn) {
    return dice.tokens(400, 1);
  }

  @Override
  long outputTokens() {
    return dice.tokens(150, 0.7);
  }

  @Override
  long pause() {
    return dice.wait(1, 1800, 1.2);
  }

  @Override
  int branchTurns(Conversation conversation) {
    return conversation.turn > 0 && dice.chance(FORKING) ? dice.times(FORK_TURNS) : 0;
  }

  @Override
  PromptBlocks branch(PromptBlocks trunk) {
    return trunk.fork(dice.uniform());
  }
}
