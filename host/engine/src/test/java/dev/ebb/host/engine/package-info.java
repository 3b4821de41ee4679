/** Tests of the embedded engine. */
@NullMarked
package dev.ebb.host.engine;

import org.jspecify.annotations.NullMarked;
