@NullMarked
package dev.ebb.host.tuning;

import org.jspecify.annotations.NullMarked;
