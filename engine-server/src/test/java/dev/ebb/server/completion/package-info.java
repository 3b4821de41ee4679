/** Tests of this package. */
@NullMarked
package dev.ebb.server.completion;

import org.jspecify.annotations.NullMarked;
