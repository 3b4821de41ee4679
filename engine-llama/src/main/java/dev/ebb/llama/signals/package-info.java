/**
 * What token policies see of a sequence: attention and keys, gathered while llama.cpp computes and
 * kept by KV cell, because cells never move.
 *
 * <p>Depends on {@code binding}, {@code dev.ebb.host.errors} and the SPI.
 */
@NullMarked
package dev.ebb.llama.signals;

import org.jspecify.annotations.NullMarked;
