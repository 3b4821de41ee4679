/** Replays the queue of an engine with its scheduler, to compare preemption policies. */
@NullMarked
package dev.ebb.host.replay.queue;

import org.jspecify.annotations.NullMarked;
