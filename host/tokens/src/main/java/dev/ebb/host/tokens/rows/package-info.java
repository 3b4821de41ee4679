/**
 * Which tokens of one sequence are stored, and in which rows: {@link
 * dev.ebb.host.tokens.rows.StoredTokens} is the account, {@link dev.ebb.host.tokens.rows.Packing}
 * the moves that make it dense again when tokens are dropped. Knows nothing of blocks, devices and
 * policies.
 */
@NullMarked
package dev.ebb.host.tokens.rows;

import org.jspecify.annotations.NullMarked;
