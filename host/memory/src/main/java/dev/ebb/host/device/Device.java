package dev.ebb.host.device;

/** One memory that can hold KV blocks: the host's, or one GPU's. Safe for use by many threads. */
public interface Device extends AutoCloseable {

  /**
   * The device's name, unique in the process.
   *
   * @return for example {@code host} or {@code cuda:0}
   */
  String name();

  /**
   * What sort of memory it is.
   *
   * @return the kind
   */
  DeviceKind kind();

  /**
   * How much memory there is.
   *
   * @return what can be asked again and again
   */
  MemoryMonitor memory();

  /**
   * Reserves one contiguous range, its content unspecified.
   *
   * @param bytes how many, at least 1
   * @return the range, open until it or the device is closed
   * @throws DeviceException if it does not fit: how much was asked for and is available, what
   *     limits it, what to do
   */
  Slab reserve(long bytes);

  /**
   * Whether the device and what it held are gone.
   *
   * @return true if every further call of the device is refused
   */
  default boolean lost() {
    return false;
  }

  /**
   * Asks for nothing but that the device can be used.
   *
   * @throws DeviceException if it is lost; says since when
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
