/**
 * The stored tokens of one sequence, and their rows. {@link dev.ebb.host.tokens.rows.StoredTokens}
 * records them; {@link dev.ebb.host.tokens.rows.Packing} plans the moves that close gaps when
 * tokens are dropped. Knows nothing of blocks, devices and policies.
 */
@NullMarked
package dev.ebb.host.tokens.rows;

import org.jspecify.annotations.NullMarked;
