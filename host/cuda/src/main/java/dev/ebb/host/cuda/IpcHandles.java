package dev.ebb.host.cuda;

import java.lang.reflect.Field;
import jcuda.driver.CUipcMemHandle;

/** Converts handles of CUDA memory to bytes and back, which JCuda does not offer. */
final class IpcHandles {

  private static final Field BYTES = field();

  private IpcHandles() {}

  private static Field field() {
    try {
      Field field = CUipcMemHandle.class.getDeclaredField("reserved");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException otherVersion) {
      throw new ExceptionInInitializerError(otherVersion);
    }
  }

  static byte[] bytes(CUipcMemHandle handle) {
    try {
      return ((byte[]) BYTES.get(handle)).clone();
    } catch (IllegalAccessException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static CUipcMemHandle of(byte[] bytes) {
    CUipcMemHandle handle = new CUipcMemHandle();
    try {
      BYTES.set(handle, bytes.clone());
      return handle;
    } catch (IllegalAccessException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
