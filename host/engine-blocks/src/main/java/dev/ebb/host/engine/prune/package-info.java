/** Rules and results of token pruning. Knows no sequence. */
@NullMarked
package dev.ebb.host.engine.prune;

import org.jspecify.annotations.NullMarked;
