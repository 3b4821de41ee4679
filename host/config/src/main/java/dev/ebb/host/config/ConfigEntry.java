package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * One active value.
 *
 * @param value a text, a number, a flag or a list; of a secret only whether it is set
 * @param origin the file and line, option or call that sets it; null if it is the default
 */
public record ConfigEntry(String key, Object value, @Nullable String origin) {}
