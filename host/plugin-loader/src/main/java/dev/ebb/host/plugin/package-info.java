/**
 * Plugin JARs: staged, judged, loaded each in a class loader of its own, listed, unloaded.
 *
 * <p>Depends on {@code config}, {@code errors} and the SPI; the only package that touches PF4J.
 */
@NullMarked
package dev.ebb.host.plugin;

import org.jspecify.annotations.NullMarked;
