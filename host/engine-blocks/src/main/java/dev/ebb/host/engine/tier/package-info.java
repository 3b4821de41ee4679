/**
 * The disk tier of an engine: pages of cached prefixes that leave memory go to files, and are read
 * back for later prompts.
 *
 * <p>{@link dev.ebb.host.engine.tier.DiskPages} is the entry point. Knows nothing of sequences.
 */
@NullMarked
package dev.ebb.host.engine.tier;

import org.jspecify.annotations.NullMarked;
