/** Several nodes that serve each other's values: membership, directory, replicas, remote reads. */
@NullMarked
package dev.ebb.host.cluster;

import org.jspecify.annotations.NullMarked;
