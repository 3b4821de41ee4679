/**
 * Asks a token policy which tokens of a sequence stay: what it may see, what happens if it fails,
 * and what becomes of its scores.
 *
 * <p>Depends on {@code signals}, {@code sequence}, {@code tokens}, the SPI and {@code pool} for the
 * shape of a block.
 */
@NullMarked
package dev.ebb.host.tokens.pruning;

import org.jspecify.annotations.NullMarked;
