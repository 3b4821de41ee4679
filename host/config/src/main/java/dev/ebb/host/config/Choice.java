package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * A strategy chosen by name.
 *
 * @param name the strategy
 * @param where the file and line that says so; null if it is the default
 */
public record Choice(String name, @Nullable String where) {}
