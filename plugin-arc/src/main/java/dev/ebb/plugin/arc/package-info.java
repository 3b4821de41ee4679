/** The adaptive replacement cache: {@code arc}. Depends on the JDK and the SPI alone. */
@NullMarked
package dev.ebb.plugin.arc;

import org.jspecify.annotations.NullMarked;
