/** Tests of this package. */
@NullMarked
package dev.ebb.llama.server;

import org.jspecify.annotations.NullMarked;
