/** Connections to engines, and their health. */
@NullMarked
package dev.ebb.router.engine;

import org.jspecify.annotations.NullMarked;
