/**
 * The membership and the directory of a cluster over Infinispan and JGroups. Only nodes of a
 * cluster load it, and what it needs.
 */
@NullMarked
package dev.ebb.host.cluster.infinispan;

import org.jspecify.annotations.NullMarked;
