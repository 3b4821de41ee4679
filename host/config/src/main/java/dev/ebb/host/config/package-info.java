/**
 * The configuration: HOCON files read into typed, immutable records, every mistake reported at once
 * with file and line; and a strategy's own settings.
 *
 * <p>Depends on {@code errors}, {@code units} and the SPI.
 */
@NullMarked
package dev.ebb.host.config;

import org.jspecify.annotations.NullMarked;
