@NullMarked
package dev.ebb.host.scheduler;

import org.jspecify.annotations.NullMarked;
