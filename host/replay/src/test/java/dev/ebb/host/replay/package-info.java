@NullMarked
package dev.ebb.host.replay;

import org.jspecify.annotations.NullMarked;
