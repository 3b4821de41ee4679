package dev.ebb.host.config;

import java.nio.file.Path;

/**
 * {@code ebb.eviction.log} and related keys.
 *
 * @param enabled whether evictions are written to a file
 * @param fileBytes the size at which a new file is started
 * @param older how many older files are kept, 1 to 20
 */
public record EvictionLogConfig(boolean enabled, Path file, long fileBytes, int older) {}
