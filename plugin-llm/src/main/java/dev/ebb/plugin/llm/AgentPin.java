package dev.ebb.plugin.llm;

import dev.ebb.spi.EntryQueue;

/**
 * The entries of an agent's last step, which stay until the tool it called is likely to be done.
 */
final class AgentPin extends EntryQueue<AgentPin.Node> {

  /** The bookkeeping for one entry, pinned or not. */
  static final class Node extends EntryQueue.Node<Node> {
    /** The request that used it last, counted by the policy. */
    long request;
  }

  /** When the agent's first step began, among all agents. */
  final long arrival;

  /** The step, among all requests: its entries were used then. */
  final long request;

  final long deadlineNanos;

  AgentPin(long arrival, long request, long deadlineNanos) {
    super("pinned");
    this.arrival = arrival;
    this.request = request;
    this.deadlineNanos = deadlineNanos;
  }
}
