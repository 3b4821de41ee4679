/** Compares saved reports of replays. */
package dev.ebb.host.replay.comparison;
