/**
 * Memory that can hold KV blocks: what a device is, and the host's own memory as one.
 *
 * <p>A {@link dev.ebb.host.device.Device} hands out {@link dev.ebb.host.device.Slab}s; whoever owns
 * a slab decides what lies where in it. Nothing here knows of layers, sequences or policies.
 * Depends on {@code units}.
 */
@NullMarked
package dev.ebb.host.device;

import org.jspecify.annotations.NullMarked;
