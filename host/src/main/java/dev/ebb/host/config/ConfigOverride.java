package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * One value that goes before what the file says: an option of the command line, or a change while
 * the process runs.
 *
 * @param key its full path: {@code ebb.server.port}
 * @param value a text, a number or a flag; null for none, as if nobody had said anything
 * @param source who says so, for messages: {@code --port}
 */
public record ConfigOverride(String key, @Nullable Object value, String source) {}
