/**
 * The serving process put together: pool, store, policy and servers, from the configuration.
 *
 * <p>May depend on {@code wiring}, {@code config}, {@code policy}, {@code device}, {@code cache},
 * {@code objects}, {@code swap}, {@code rules}, {@code plugin}, {@code resp}, {@code http}, {@code
 * admin}, {@code evictions}, {@code units} and {@code errors}.
 */
@NullMarked
package dev.ebb.host.app;

import org.jspecify.annotations.NullMarked;
