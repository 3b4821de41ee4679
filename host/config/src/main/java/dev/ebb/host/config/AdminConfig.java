package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.admin}.
 *
 * @param enabled whether the admin server runs
 * @param bind the address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param token the callers' credential; null for none
 */
public record AdminConfig(AdminChoice enabled, String bind, int port, @Nullable String token) {}
