@NullMarked
package dev.ebb.host.cache;

import org.jspecify.annotations.NullMarked;
