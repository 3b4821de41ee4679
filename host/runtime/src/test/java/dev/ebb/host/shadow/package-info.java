@NullMarked
package dev.ebb.host.shadow;

import org.jspecify.annotations.NullMarked;
