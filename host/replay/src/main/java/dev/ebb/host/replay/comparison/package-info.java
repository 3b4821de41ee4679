/** Compares saved reports of replays. */
@NullMarked
package dev.ebb.host.replay.comparison;

import org.jspecify.annotations.NullMarked;
