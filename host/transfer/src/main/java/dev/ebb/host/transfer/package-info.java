/** Moves values between the nodes of a cluster: frames, resume, checksums, limits and secrets. */
@NullMarked
package dev.ebb.host.transfer;

import org.jspecify.annotations.NullMarked;
