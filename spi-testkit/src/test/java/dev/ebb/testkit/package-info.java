/** Proof that right policies pass and that each kind of wrong one is caught. */
package dev.ebb.testkit;
