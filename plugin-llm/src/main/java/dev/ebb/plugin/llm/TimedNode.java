package dev.ebb.plugin.llm;

import dev.ebb.spi.EntryQueue;

/** The bookkeeping for one entry of a policy that compares idle times. */
final class TimedNode extends EntryQueue.Node<TimedNode> {

  /** The time of its last use, as far as the policy has seen it. */
  long lastNanos;
}
