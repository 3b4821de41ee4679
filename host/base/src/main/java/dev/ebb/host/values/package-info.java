/** Values of objects by their names. */
package dev.ebb.host.values;
