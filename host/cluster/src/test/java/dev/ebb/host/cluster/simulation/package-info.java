/** A simulation of large clusters with the placement and the decisions of real nodes. */
@NullMarked
package dev.ebb.host.cluster.simulation;

import org.jspecify.annotations.NullMarked;
