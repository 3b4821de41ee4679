/** Tests of this package. */
@NullMarked
package dev.ebb.server.model;

import org.jspecify.annotations.NullMarked;
