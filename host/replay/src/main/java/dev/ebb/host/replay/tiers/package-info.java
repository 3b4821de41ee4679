/** A disk tier behind the memory of a replay: what is written to it, and what leaves it. */
package dev.ebb.host.replay.tiers;
