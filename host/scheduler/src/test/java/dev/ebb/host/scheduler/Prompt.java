package dev.ebb.host.scheduler;

/** A prompt of a trace. */
final class Prompt {

  /** When it is submitted, in nanoseconds. */
  final long arrival;

  /** The ids of its full blocks; an id names a block and all before it. */
  final long[] blocks;

  Prompt(long arrival, long... blocks) {
    this.arrival = arrival;
    this.blocks = blocks;
  }
}
