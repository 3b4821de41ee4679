/** The verification of a machine with an NVIDIA GPU: the results and the speed of every kernel. */
@NullMarked
package dev.ebb.host.gpuverify;

import org.jspecify.annotations.NullMarked;
