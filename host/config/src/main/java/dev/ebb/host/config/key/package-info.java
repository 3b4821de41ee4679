/** The declaration of keys, and the reading of their values. */
@NullMarked
package dev.ebb.host.config.key;

import org.jspecify.annotations.NullMarked;
