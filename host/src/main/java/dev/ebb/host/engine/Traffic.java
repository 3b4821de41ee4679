package dev.ebb.host.engine;

/** Counts what sequences did. Guarded by the engine's lock. */
final class Traffic {

  long opened;
  long forked;
  long copied;
  long finished;
  long aborted;
  long preempted;
  long promptTokens;
  long matchedTokens;

  void opened(Sequence sequence) {
    opened++;
    promptTokens += sequence.asked.length();
    matchedTokens += sequence.matchedTokens();
  }

  TrafficCounters counters() {
    return new TrafficCounters(
        opened, forked, finished, aborted, preempted, copied, promptTokens, matchedTokens);
  }

  void ended(SequenceState state) {
    switch (state) {
      case FINISHED -> finished++;
      case ABORTED -> aborted++;
      case PREEMPTED -> preempted++;
      case OPEN -> throw new IllegalArgumentException("an open sequence has not ended");
    }
  }
}
