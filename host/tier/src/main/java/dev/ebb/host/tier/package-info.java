/**
 * The disk tier: values that the RESP server evicts from memory go to a file, and are read back.
 *
 * <p>{@link dev.ebb.host.tier.DiskStore} is the entry point. It joins the store in memory with the
 * log of {@code ebb-disk}, which know nothing of each other.
 */
package dev.ebb.host.tier;
