package dev.ebb.host.config;

import java.nio.file.Path;

/**
 * {@code ebb.eviction.log} and what belongs to it.
 *
 * @param enabled whether evictions are written to a file
 * @param file the file
 * @param fileBytes when another file is begun
 * @param older how many older files are kept, 1 to 20
 */
public record EvictionLogConfig(boolean enabled, Path file, long fileBytes, int older) {}
