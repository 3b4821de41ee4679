/** Tests of the packages and of the container image. */
@NullMarked
package dev.ebb.linux;

import org.jspecify.annotations.NullMarked;
