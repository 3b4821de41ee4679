/** Proof that right policies pass and that each kind of wrong one is caught. */
@NullMarked
package dev.ebb.testkit;

import org.jspecify.annotations.NullMarked;
