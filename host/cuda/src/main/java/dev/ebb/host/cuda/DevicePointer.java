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

  /** Returns a pointer to a numeric address on a device. */
  static CUdeviceptr at(long address) {
    return ZERO.withByteOffset(address);
  }

  /** Returns a pointer to a numeric address on the host. */
  static Pointer host(long address) {
    return at(address);
  }
}
