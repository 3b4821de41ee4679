package dev.ebb.host.trace.synthetic;

/**
 * Agents: a long prompt of tools that a tenant's agents share, then many quick steps, each adding a
 * tool's output. Each step but the last ends with a tool call. Sometimes an agent forks a helper
 * that starts with its whole prompt.
 */
final class AgentWorkload extends ConversationWorkload {

  private static final double BRANCHING = 0.05;
  private static final double HELPER_TURNS = 5;

  private static final double STEPS_PER_TURN = 3;

  private final double steps;

  AgentWorkload(SyntheticOptions options) {
    super("agent", options, 3000, STEPS_PER_TURN * options.turns * (1 + BRANCHING * HELPER_TURNS));
    steps = STEPS_PER_TURN * options.turns;
  }

  @Override
  int turns() {
    return dice.times(steps);
  }

  @Override
  long inputTokens(int turn) {
    return dice.tokens(250, 1.2);
  }

  @Override
  long outputTokens() {
    return dice.tokens(80, 0.7);
  }

  @Override
  long pause() {
    return dice.wait(0.3, 600, 1.3);
  }

  @Override
  String finishReason(int turnsLeft) {
    return turnsLeft > 0 ? "tool_calls" : "stop";
  }

  @Override
  int branchTurns(Conversation conversation) {
    boolean branches = !conversation.branch && conversation.turn > 0 && dice.chance(BRANCHING);
    return branches ? dice.times(HELPER_TURNS) : 0;
  }
}
