package dev.ebb.host.cluster.routing;

import dev.ebb.host.cluster.directory.Node;

/**
 * A node that could serve a request.
 *
 * @param prefixKeys how many of the request's first keys have a copy on the node
 * @param tokensSaved the tokens that the engine beside it would not compute, estimated
 * @param bytesToMove the bytes it would read from other nodes to reach the longest prefix that the
 *     cluster has
 * @param load its commands per second as a share of the busiest node's, 0 to 1
 */
public record Route(Node node, int prefixKeys, long tokensSaved, long bytesToMove, double load) {}
