/** The messages between nodes. */
@NullMarked
package dev.ebb.host.cluster.message;

import org.jspecify.annotations.NullMarked;
