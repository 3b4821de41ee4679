/** Routes and documents for the nodes and values of a cluster. */
@NullMarked
package dev.ebb.host.admin.cluster;

import org.jspecify.annotations.NullMarked;
