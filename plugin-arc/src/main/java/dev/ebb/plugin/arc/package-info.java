/** The adaptive replacement cache: {@code arc}. */
@NullMarked
package dev.ebb.plugin.arc;

import org.jspecify.annotations.NullMarked;
