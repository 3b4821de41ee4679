/** Decides which of the values that memory evicts are written to a disk. */
package dev.ebb.host.admission;
