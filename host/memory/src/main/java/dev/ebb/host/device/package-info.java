/**
 * Memory that can hold KV blocks: devices, and the host's own memory as one.
 *
 * <p>A {@link dev.ebb.host.device.Device} provides {@link dev.ebb.host.device.Slab}s, whose owner
 * decides on their layout. Nothing here knows of layers, sequences or policies.
 */
@NullMarked
package dev.ebb.host.device;

import org.jspecify.annotations.NullMarked;
