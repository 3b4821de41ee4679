/** Replays the queue of an engine with its scheduler, to compare preemption policies. */
package dev.ebb.host.replay.queue;
