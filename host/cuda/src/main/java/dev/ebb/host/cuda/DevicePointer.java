package dev.ebb.host.cuda;

import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;

/** A device address whose number can be read. */
final class DevicePointer extends CUdeviceptr {

  private static final CUdeviceptr ZERO = new CUdeviceptr();

  /** Nothing yet: JCuda fills it in. */
  DevicePointer() {}

  /** The address JCuda has filled in. */
  long value() {
    return getNativePointer() + getByteOffset();
  }

  /** The place of an address that is known as a number, on a device. */
  static CUdeviceptr at(long address) {
    return ZERO.withByteOffset(address);
  }

  /** The place of an address that is known as a number, on the host. */
  static Pointer host(long address) {
    return at(address);
  }
}
