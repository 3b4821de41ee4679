/**
 * What the disk tiers of a server and of an engine share: files, admission, reads and counters.
 *
 * <p>{@link dev.ebb.host.disk.tier.TierFiles} is the entry point. Knows nothing of the memory in
 * front of the disk.
 */
package dev.ebb.host.disk.tier;
