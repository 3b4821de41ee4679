package dev.ebb.testkit;

/** The referee's record of one entry in one policy. */
final class Held {

  final TestEntry entry;
  final Referee referee;
  final Object node;

  boolean aside;
  boolean gone;

  /** The step of the last change of state, and that change. */
  long since;

  String state = "inserted";

  int index;

  Held(TestEntry entry, Referee referee, Object node) {
    this.entry = entry;
    this.referee = referee;
    this.node = node;
  }

  void now(String newState, long step) {
    state = newState;
    since = step;
  }

  @Override
  public String toString() {
    return "entry %s (%s on step %d)".formatted(entry, state, since);
  }
}
