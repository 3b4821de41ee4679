/** Tests of how token policies are asked. */
@NullMarked
package dev.ebb.host.tokens.pruning;

import org.jspecify.annotations.NullMarked;
