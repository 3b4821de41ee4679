package dev.ebb.host.device;

/** Reports how much memory a device has, measured at each call. */
public interface MemoryMonitor {

  /** Returns the total memory that this process can have. */
  long totalBytes();

  /** Returns the memory this process could reserve now: bytes, 0 or more. */
  long availableBytes();

  /**
   * Describes both figures and what limits them, for a message.
   *
   * @return for example {@code 11.2 GiB of 15.6 GiB available, limited by the cgroup's memory.max}
   */
  String describe();
}
