package dev.ebb.host.store.value;

/** Contiguous bytes in the file of shared memory, at least one. */
public record MemoryRange(long offset, long length) {}
