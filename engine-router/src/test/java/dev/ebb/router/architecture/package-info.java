/** Tests of the module's dependencies. */
@NullMarked
package dev.ebb.router.architecture;

import org.jspecify.annotations.NullMarked;
