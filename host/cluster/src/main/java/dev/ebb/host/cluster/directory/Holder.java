package dev.ebb.host.cluster.directory;

/**
 * A node that holds a copy of a value.
 *
 * @param node the {@linkplain Node#id() node's id}
 * @param replica whether the copy is in the node's memory for replicas, not in its main store
 */
public record Holder(int node, boolean replica) {}
