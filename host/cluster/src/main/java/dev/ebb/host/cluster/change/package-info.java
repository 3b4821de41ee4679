/** What clients have changed lately, for copies that a node does not know to be outdated. */
@NullMarked
package dev.ebb.host.cluster.change;

import org.jspecify.annotations.NullMarked;
