/**
 * What authors of plugins need: a project to start from, a verdict on a built JAR, and its
 * measurements beside the policies that are installed.
 *
 * <p>Depends on {@code plugin}, {@code policy}, {@code cache}, {@code config}, {@code wiring},
 * {@code errors}, the SPI and its test kit; the only package that touches the test kit.
 */
@NullMarked
package dev.ebb.host.devkit;

import org.jspecify.annotations.NullMarked;
