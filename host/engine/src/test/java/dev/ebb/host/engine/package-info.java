/** Tests of the in-process door. */
@NullMarked
package dev.ebb.host.engine;

import org.jspecify.annotations.NullMarked;
