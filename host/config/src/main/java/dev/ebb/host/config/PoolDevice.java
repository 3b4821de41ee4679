package dev.ebb.host.config;

/** The memory of the KV pool. */
public enum PoolDevice {
  /** The GPUs if there are any, otherwise host memory. */
  AUTO,
  HOST,
  /** The GPUs; it is an error if there are none. */
  CUDA,
  /** The GPUs if there are any, and host memory. */
  ALL
}
