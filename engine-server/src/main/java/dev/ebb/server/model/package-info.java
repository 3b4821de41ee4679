/** A served model, and the options of its answers. */
@NullMarked
package dev.ebb.server.model;

import org.jspecify.annotations.NullMarked;
