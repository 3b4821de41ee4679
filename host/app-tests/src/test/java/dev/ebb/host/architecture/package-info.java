/** Which package may use which. */
@NullMarked
package dev.ebb.host.architecture;

import org.jspecify.annotations.NullMarked;
