package dev.ebb.host.device;

/** Says how much memory a device has, asked afresh at each call. */
public interface MemoryMonitor {

  /**
   * All the memory this process could ever have.
   *
   * @return bytes
   */
  long totalBytes();

  /**
   * The memory this process could reserve now.
   *
   * @return bytes, 0 or more
   */
  long availableBytes();

  /**
   * Both figures and what limits them, for a message.
   *
   * @return for example {@code 11.2 GiB of 15.6 GiB available, limited by the cgroup's memory.max}
   */
  String describe();
}
