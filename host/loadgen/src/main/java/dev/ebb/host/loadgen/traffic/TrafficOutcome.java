package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.loadgen.RequestOutcome;
import org.jspecify.annotations.Nullable;

/** What one request of a trace got, or all of them. */
final class TrafficOutcome {

  long chunks;

  /** Leading chunks that could be used. */
  long hits;

  /** Chunks that a lookup found and a read did not. */
  long lost;

  /** Values that were not those stored. */
  long wrong;

  long errors;
  @Nullable String firstError;

  void failed(long times, @Nullable String error) {
    errors += times;
    firstError = firstError == null ? error : firstError;
  }

  /** Counts the reply to a read; returns whether it was the value that was stored. */
  boolean read(RequestOutcome reply, String error) {
    switch (reply) {
      case VALUE, DONE -> {}
      case MISSING -> lost++;
      case WRONG, FOREIGN -> wrong++;
      case ERROR -> failed(1, error);
    }
    return reply == RequestOutcome.VALUE || reply == RequestOutcome.DONE;
  }

  void add(TrafficOutcome other) {
    chunks += other.chunks;
    hits += other.hits;
    lost += other.lost;
    wrong += other.wrong;
    failed(other.errors, other.firstError);
  }
}
