/** Routing of requests by their tokens, without the keys of their values. */
@NullMarked
package dev.ebb.host.cluster.routing;

import org.jspecify.annotations.NullMarked;
