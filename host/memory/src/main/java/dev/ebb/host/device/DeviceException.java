package dev.ebb.host.device;

/** A device could not do what was asked. The message is written for the user. */
public class DeviceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean deviceLost;

  /**
   * A failure after which the device can still be used.
   *
   * @param message what failed, what is possible, what to do
   */
  public DeviceException(String message) {
    this(message, false);
  }

  /**
   * A failure.
   *
   * @param message what failed, what is possible, what to do
   * @param deviceLost whether every further call of the device is refused
   */
  public DeviceException(String message, boolean deviceLost) {
    super(message);
    this.deviceLost = deviceLost;
  }

  /**
   * Whether the device and what it held are gone.
   *
   * @return true if every further call of the device is refused
   */
  public boolean deviceLost() {
    return deviceLost;
  }
}
