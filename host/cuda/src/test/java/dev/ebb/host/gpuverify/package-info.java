/** The verification of a machine with an NVIDIA GPU: the results and the speed of every kernel. */
package dev.ebb.host.gpuverify;
