/**
 * The check that is carried to a machine with an NVIDIA card: is every kernel right, and how fast
 * is each. Depends on {@code device}, {@code cuda}, {@code signals} and {@code pool}'s types of
 * elements; needs nothing else of the host, so that what is carried stays small.
 */
@NullMarked
package dev.ebb.host.gpuverify;

import org.jspecify.annotations.NullMarked;
