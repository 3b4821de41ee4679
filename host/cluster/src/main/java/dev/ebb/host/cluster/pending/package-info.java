/**
 * The values that lack replicas: those that clients have stored here, and those that other nodes
 * offer. It depends on no other part of the cluster.
 */
@NullMarked
package dev.ebb.host.cluster.pending;

import org.jspecify.annotations.NullMarked;
