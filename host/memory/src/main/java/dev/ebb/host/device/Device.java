package dev.ebb.host.device;

import dev.ebb.host.numa.NumaPlacement;

/** A memory that can hold KV blocks: the host's, or one GPU's. Thread-safe. */
public interface Device extends AutoCloseable {

  /**
   * Returns the device's name, unique in the process.
   *
   * @return for example {@code host} or {@code cuda:0}
   */
  String name();

  /** Returns the kind of its memory. */
  DeviceKind kind();

  /** Returns the monitor of its memory, which can be queried again and again. */
  MemoryMonitor memory();

  /** Returns the place of its memory in the machine. */
  default DeviceTopology topology() {
    return DeviceTopology.of(NumaPlacement.DEFAULT);
  }

  /**
   * Reserves one contiguous range, its content unspecified.
   *
   * @param bytes at least 1
   * @return the range, open until it or the device is closed
   * @throws DeviceException if it does not fit; the message says how much is available, the limit,
   *     and what to do
   */
  Slab reserve(long bytes);

  /**
   * Returns whether the device and its content are lost.
   *
   * @return true if every further call of the device is refused
   */
  default boolean lost() {
    return false;
  }

  /**
   * Checks that the device can be used.
   *
   * @throws DeviceException if it is lost
   */
  default void requireUsable() {
    if (lost()) {
      throw new DeviceException("'%s' is lost; restart the process".formatted(name()), true);
    }
  }

  /** Frees everything, the slabs too. Closing twice does nothing. */
  @Override
  void close();
}
