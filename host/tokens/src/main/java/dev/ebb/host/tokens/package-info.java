/**
 * Which tokens of a sequence stay: from a token policy's scores and protected tokens, and a rule
 * that shares out how many stay, to the kept tokens of each layer and KV head. Computes only; what
 * stores tokens moves them. Also what turns keys to other positions.
 *
 * <p>Depends on {@code errors}, on {@code pool} for the types of elements, and on the SPI.
 */
@NullMarked
package dev.ebb.host.tokens;

import org.jspecify.annotations.NullMarked;
