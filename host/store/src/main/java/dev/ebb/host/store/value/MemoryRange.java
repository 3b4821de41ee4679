package dev.ebb.host.store.value;

/**
 * Contiguous bytes in the file of shared memory.
 *
 * @param offset the position of the first byte in the file
 * @param length how many bytes, at least 1
 */
public record MemoryRange(long offset, long length) {}
