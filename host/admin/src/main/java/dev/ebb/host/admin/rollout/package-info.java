/** A policy on trial on one node, which goes back by itself. */
@NullMarked
package dev.ebb.host.admin.rollout;

import org.jspecify.annotations.NullMarked;
