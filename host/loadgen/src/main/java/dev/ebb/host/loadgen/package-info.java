/**
 * The load generator: keeps a RESP server busy, measures it and checks what it answers.
 *
 * <p>{@link dev.ebb.host.loadgen.Bench} drives all connections from one thread, without garbage per
 * request, so that one core loads any server. May depend on {@code trace}, {@code errors}, {@code
 * statistics} and {@code units}.
 */
@NullMarked
package dev.ebb.host.loadgen;

import org.jspecify.annotations.NullMarked;
