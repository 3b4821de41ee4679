/** Models with random weights, for trials and measurements without a download. */
@NullMarked
package dev.ebb.server.demo;

import org.jspecify.annotations.NullMarked;
