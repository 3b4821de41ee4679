/** The configuration of inference engines. */
@NullMarked
package dev.ebb.host.config.engine;

import org.jspecify.annotations.NullMarked;
