/**
 * The check that is carried to a machine with an NVIDIA card: is every kernel right, and how fast
 * is each.
 */
@NullMarked
package dev.ebb.host.gpuverify;

import org.jspecify.annotations.NullMarked;
