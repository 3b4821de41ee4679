/**
 * The CUDA device, run against a driver over host memory that is built from {@code
 * src/test/c/fakecuda}.
 */
@NullMarked
package dev.ebb.host.cuda;

import org.jspecify.annotations.NullMarked;
