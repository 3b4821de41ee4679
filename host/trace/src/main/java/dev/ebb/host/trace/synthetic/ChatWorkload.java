package dev.ebb.host.trace.synthetic;

/**
 * Chat users: two of five ask once; the others return after a think time that is mostly short and
 * sometimes hours.
 */
final class ChatWorkload extends ConversationWorkload {

  private static final double ONE_SHOT = 0.4;

  private final double turns;

  ChatWorkload(SyntheticOptions options) {
    super("chat", options, 600, ONE_SHOT + (1 - ONE_SHOT) * options.turns);
    turns = options.turns;
  }

  @Override
  int turns() {
    return dice.chance(ONE_SHOT) ? 1 : dice.times(turns);
  }

  @Override
  long inputTokens(int turn) {
    return dice.tokens(60, 1.2);
  }

  @Override
  long outputTokens() {
    return dice.tokens(200, 0.8);
  }

  @Override
  long pause() {
    return dice.wait(8, 6 * 3600, 1.2);
  }
}
