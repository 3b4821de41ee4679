/**
 * Token policies, which choose the tokens that stay inside one sequence: {@code sliding-window}.
 * Depends on the JDK and the SPI alone.
 */
@NullMarked
package dev.ebb.plugin.snapkv;

import org.jspecify.annotations.NullMarked;
