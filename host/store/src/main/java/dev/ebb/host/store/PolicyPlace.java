package dev.ebb.host.store;

/**
 * A part of the pool, as its policy sees it.
 *
 * @param name the part's name
 * @param capacityBlocks what the policy's capacity is counted in: units of 1 KiB
 */
public record PolicyPlace(String name, long capacityBlocks) {}
