/**
 * The decisions of a cluster: which nodes get copies of a value, and what each holder does next.
 *
 * <p>Everything here is a pure function of what a node knows, so that the simulation runs the same
 * code as a node.
 */
@NullMarked
package dev.ebb.host.cluster.placement;

import org.jspecify.annotations.NullMarked;
