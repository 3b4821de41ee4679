/**
 * What other policies would do with the traffic of right now.
 *
 * <p>{@link dev.ebb.host.shadow.Shadows} is the way in. A {@code AccessSampler} takes a sample of
 * what is asked for, chosen by the keys' hash, so that all uses of a key are in it or none (SHARDS,
 * Waldspurger et al., FAST 2015). Each candidate policy runs on a small cache of its own, on a
 * thread of its own that can be abandoned.
 */
@NullMarked
package dev.ebb.host.shadow;

import org.jspecify.annotations.NullMarked;
