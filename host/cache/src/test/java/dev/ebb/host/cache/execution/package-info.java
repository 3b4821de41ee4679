@NullMarked
package dev.ebb.host.cache.execution;

import org.jspecify.annotations.NullMarked;
