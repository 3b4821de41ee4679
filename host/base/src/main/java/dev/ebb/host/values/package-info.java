/** Values of objects by their names. */
@NullMarked
package dev.ebb.host.values;

import org.jspecify.annotations.NullMarked;
