/**
 * From a strategy's name to an instance: the plugin that offers it, its settings, its context.
 *
 * <p>Depends on {@code plugin}, {@code config}, {@code errors}, {@code tokens} and the SPI.
 */
@NullMarked
package dev.ebb.host.policy;

import org.jspecify.annotations.NullMarked;
