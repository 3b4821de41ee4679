package dev.ebb.host.config.key;

import org.jspecify.annotations.Nullable;

/**
 * A strategy chosen by name.
 *
 * @param where the file and line that sets it; null if it is the default
 */
public record Choice(String name, @Nullable String where) {}
