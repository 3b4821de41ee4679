/** Closes what was opened. */
package dev.ebb.host.lifecycle;
