package dev.ebb.host.device;

/** The kind of a device's memory. */
public enum DeviceKind {
  /** The memory of the process, which the JVM can read and write. */
  HOST,
  /** The memory of an NVIDIA GPU. */
  CUDA
}
