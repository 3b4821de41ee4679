/** Limits on the memory that clients make the process hold. */
package dev.ebb.host.limits;
