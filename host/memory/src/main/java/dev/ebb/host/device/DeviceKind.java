package dev.ebb.host.device;

/** What sort of memory a device has. */
public enum DeviceKind {
  /** The memory of the process, which the JVM can read and write. */
  HOST,
  /** The memory of an NVIDIA GPU. */
  CUDA
}
