package dev.ebb.host.config;

/** Where the KV pool is to be. */
public enum PoolDevice {
  /** On the GPUs if there are any, else in host memory. */
  AUTO,
  /** In host memory. */
  HOST,
  /** On the GPUs; it is an error if there are none. */
  CUDA,
  /** On the GPUs if there are any, and in host memory. */
  ALL
}
