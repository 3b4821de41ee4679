package dev.ebb.host.trace.synthetic;

/** A conversation that will take another turn. */
final class Conversation implements Comparable<Conversation> {

  final long id;

  final boolean branch;

  final int tenant;
  final PromptBlocks prompt;
  int turnsLeft;
  int turn;
  long nextNanos;

  Conversation(
      long id, boolean branch, int tenant, PromptBlocks prompt, int turns, long nextNanos) {
    this.id = id;
    this.branch = branch;
    this.tenant = tenant;
    this.prompt = prompt;
    this.turnsLeft = turns;
    this.nextNanos = nextNanos;
  }

  // The id breaks ties, so that equal seeds give equal traces.
  @Override
  public int compareTo(Conversation other) {
    int byTime = Long.compare(nextNanos, other.nextNanos);
    return byTime != 0 ? byTime : Long.compare(id, other.id);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Conversation that && id == that.id;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id);
  }
}
