package dev.ebb.host.cuda;

import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;

/** A device address whose number can be read. */
final class DevicePointer extends CUdeviceptr {

  private static final CUdeviceptr ZERO = new CUdeviceptr();

  DevicePointer() {}

  long value() {
    return getNativePointer() + getByteOffset();
  }

  /** Returns the place of an address that is known as a number, on a device. */
  static CUdeviceptr at(long address) {
    return ZERO.withByteOffset(address);
  }

  /** Returns the place of an address that is known as a number, on the host. */
  static Pointer host(long address) {
    return at(address);
  }
}
