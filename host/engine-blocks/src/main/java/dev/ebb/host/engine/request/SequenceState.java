package dev.ebb.host.engine.request;

/** The state of a sequence. */
public enum SequenceState {
  /** It is being served. */
  OPEN,
  /** It is being served while it moves to another device. */
  MIGRATING,
  /** It has ended, and its full blocks are in the prefix cache. */
  FINISHED,
  /** It has ended, and only its shared blocks are left. */
  ABORTED,
  /** A sequence of higher priority has its memory. It may be opened again. */
  PREEMPTED
}
