package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.server}.
 *
 * @param bind the address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param password the clients' password; null for none
 * @param maxValueBytes the largest value
 * @param onFull the reply to a client whose value does not fit
 * @param threads event loops
 */
public record ServerConfig(
    String bind,
    int port,
    @Nullable String password,
    long maxValueBytes,
    OnFullChoice onFull,
    int threads) {}
