@NullMarked
package dev.ebb.host.replay.fit;

import org.jspecify.annotations.NullMarked;
