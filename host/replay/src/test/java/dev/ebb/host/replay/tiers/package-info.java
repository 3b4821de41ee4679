@NullMarked
package dev.ebb.host.replay.tiers;

import org.jspecify.annotations.NullMarked;
