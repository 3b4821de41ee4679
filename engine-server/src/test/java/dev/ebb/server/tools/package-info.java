/** Tests of function calling. */
@NullMarked
package dev.ebb.server.tools;

import org.jspecify.annotations.NullMarked;
