package dev.ebb.host.device;

import java.nio.file.Path;

/**
 * The part of a file that other processes map to reach a slab.
 *
 * @param file the file; other ranges of it may belong to other slabs
 * @param offset the position of the slab's first byte
 */
public record FileRange(Path file, long offset) {}
