@NullMarked
package dev.ebb.host.cache.index;

import org.jspecify.annotations.NullMarked;
