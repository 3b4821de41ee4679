package dev.ebb.host.cuda;

import dev.ebb.host.device.DeviceException;
import java.util.Set;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** Turns the driver's result codes into exceptions, and remembers the one that lost a device. */
final class CudaFailures {

  /** After these the driver fails every further call of the context, or the GPU is gone. */
  private static final Set<Integer> STICKY =
      Set.of(4, 46, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999);

  private final String device;
  private volatile @Nullable String end;

  CudaFailures(String device) {
    this.device = device;
  }

  /** Returns whether the device is lost. */
  boolean lost() {
    return end != null;
  }

  /** Throws if the device was lost before. */
  void refuseIfLost() {
    String reason = end;
    if (reason != null) {
      throw new DeviceException(
          "'%s' is lost since %s; restart the process".formatted(device, reason), true);
    }
  }

  /** Throws if a call failed. */
  void check(int result, String call) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw failure(result, call, advice(result));
    }
  }

  DeviceException failure(int result, String call, String advice) {
    String what = "%s failed with '%s' (%d)".formatted(call, name(result), result);
    boolean sticky = STICKY.contains(result);
    if (sticky && end == null) {
      end = what;
    }
    return new DeviceException("%s on '%s'; %s".formatted(what, device, advice), sticky);
  }

  private static String name(int result) {
    @Nullable String[] name = new String[1];
    int unknown = JCudaDriver.cuGetErrorName(result, name);
    String known = name[0];
    return unknown == CUresult.CUDA_SUCCESS && known != null ? known : "unknown error";
  }

  private static String advice(int result) {
    if (STICKY.contains(result)) {
      return "the device and its content are lost: restart the process, and if it happens again look for 'Xid' in the kernel's log";
    }
    return switch (result) {
      case CUresult.CUDA_ERROR_OUT_OF_MEMORY ->
          "use a smaller pool.size, or free what other processes hold ('nvidia-smi' shows them)";
      case CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
          CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
          CUresult.CUDA_ERROR_INVALID_PTX ->
          "use a GPU from Turing on (compute capability 7.5) and a driver of CUDA 12.0 or newer";
      default -> "the device can still be used";
    };
  }
}
