/**
 * The calls to a token policy: its view of a sequence, its failures, and the selection from its
 * scores.
 */
@NullMarked
package dev.ebb.host.tokens.pruning;

import org.jspecify.annotations.NullMarked;
