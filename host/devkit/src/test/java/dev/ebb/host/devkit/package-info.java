/** Proof that what authors are given works, and that each of their mistakes is told. */
@NullMarked
package dev.ebb.host.devkit;

import org.jspecify.annotations.NullMarked;
