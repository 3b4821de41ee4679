/**
 * The CUDA device, run against a driver over host memory that is built from {@code
 * src/test/c/fakecuda}.
 */
package dev.ebb.host.cuda;
