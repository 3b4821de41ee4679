/**
 * The directory of the cluster's values, and its members.
 *
 * <p>{@link dev.ebb.host.cluster.directory.Directory} says which nodes hold a value. Its updates
 * are merged where the entry is kept, so that nodes need no locks.
 */
@NullMarked
package dev.ebb.host.cluster.directory;

import org.jspecify.annotations.NullMarked;
