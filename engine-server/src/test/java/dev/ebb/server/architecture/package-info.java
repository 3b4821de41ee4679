/** Rules for the packages. */
@NullMarked
package dev.ebb.server.architecture;

import org.jspecify.annotations.NullMarked;
