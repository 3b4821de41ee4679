package dev.ebb.host.device;

/** Thrown when a device cannot do what was requested. The message is written for the user. */
public class DeviceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean deviceLost;

  /**
   * Creates a failure after which the device can still be used.
   *
   * @param message what failed, what is possible, what to do
   */
  public DeviceException(String message) {
    this(message, false);
  }

  /**
   * Creates a failure.
   *
   * @param message what failed, what is possible, what to do
   * @param deviceLost whether every further call of the device is refused
   */
  public DeviceException(String message, boolean deviceLost) {
    super(message);
    this.deviceLost = deviceLost;
  }

  /**
   * Returns whether the device and its content are lost.
   *
   * @return true if every further call of the device is refused
   */
  public boolean deviceLost() {
    return deviceLost;
  }
}
