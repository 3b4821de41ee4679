package dev.ebb.host.device;

import dev.ebb.host.errors.UserError;
import java.util.List;

/**
 * Opens the devices of one kind. Implementations are found with {@link java.util.ServiceLoader}.
 */
public interface DeviceProvider {

  /** Returns the kind of the devices it opens. */
  DeviceKind kind();

  /**
   * Opens every device of this machine.
   *
   * @return at least one open device, by ordinal
   * @throws UserError if there is none or one cannot be used, with what is missing
   */
  List<Device> require();

  /**
   * Opens every device of this machine, if they can be used. Otherwise logs one line with the
   * reason.
   *
   * @return the open devices, by ordinal; empty if none can be used
   */
  List<Device> openIfUsable();
}
