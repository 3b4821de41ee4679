/**
 * The choice of the kept tokens of a sequence. It takes a token policy's scores and protected
 * tokens and a budget rule, and returns the kept tokens of each layer and KV head. It also rotates
 * keys to other positions.
 */
@NullMarked
package dev.ebb.host.tokens;

import org.jspecify.annotations.NullMarked;
