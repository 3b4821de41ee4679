/** Decides which of the values that memory evicts are written to a disk. */
@NullMarked
package dev.ebb.host.admission;

import org.jspecify.annotations.NullMarked;
