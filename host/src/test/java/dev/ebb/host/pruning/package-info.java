/** Tests of how token policies are asked. */
@NullMarked
package dev.ebb.host.pruning;

import org.jspecify.annotations.NullMarked;
