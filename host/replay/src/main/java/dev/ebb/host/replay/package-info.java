/**
 * Replays traces through the cache core and its policies, ranks the policies and compares them with
 * the optimum.
 */
@NullMarked
package dev.ebb.host.replay;

import org.jspecify.annotations.NullMarked;
