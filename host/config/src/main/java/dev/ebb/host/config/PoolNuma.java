package dev.ebb.host.config;

/** The NUMA nodes of a pool in host memory. */
public enum PoolNuma {
  /** Those of the GPUs; without a GPU those of the processors that this process may run on. */
  LOCAL,
  /** All, page by page. */
  INTERLEAVE,
  /** The operating system's choice. */
  OFF
}
