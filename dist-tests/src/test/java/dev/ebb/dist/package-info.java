/** Tests of the built product from the outside: the launcher, real JARs, real files. */
@NullMarked
package dev.ebb.dist;

import org.jspecify.annotations.NullMarked;
