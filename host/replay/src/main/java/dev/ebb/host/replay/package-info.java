/**
 * Replays traces through the cache core and its policies, and says which policy is best and how far
 * from the optimum it is.
 *
 * <p>May depend on {@code cache}, {@code trace}, {@code optimum}, {@code page}, {@code plugin},
 * {@code statistics} and {@code config}.
 */
@NullMarked
package dev.ebb.host.replay;

import org.jspecify.annotations.NullMarked;
