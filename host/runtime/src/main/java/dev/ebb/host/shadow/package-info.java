/**
 * Estimates how other policies would perform on the current traffic.
 *
 * <p>{@link dev.ebb.host.shadow.Shadows} is the entry point. An {@code AccessSampler} samples keys
 * by hash, so a key's accesses are all sampled or none (SHARDS, Waldspurger et al., FAST 2015).
 * Each shadow policy has its own small cache and its own thread, which can be abandoned.
 */
@NullMarked
package dev.ebb.host.shadow;

import org.jspecify.annotations.NullMarked;
