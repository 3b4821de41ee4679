package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.server}.
 *
 * @param bind the address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param password what clients must give; null for none
 * @param maxValueBytes the largest value
 * @param onFull what a client hears whose value finds no room
 * @param threads event loops
 */
public record ServerConfig(
    String bind,
    int port,
    @Nullable String password,
    long maxValueBytes,
    OnFullChoice onFull,
    int threads) {}
