package dev.ebb.host.engine;

/** What a sequence is doing. */
public enum SequenceState {
  /** It is being served. */
  OPEN,
  /** The same while it is on its way to another device. */
  MIGRATING,
  /** It is over, and its full blocks are in the prefix cache. */
  FINISHED,
  /** It is over, and only what it shared is left. */
  ABORTED,
  /** A sequence of higher priority has its memory. It may be opened anew. */
  PREEMPTED
}
