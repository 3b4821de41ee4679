package dev.ebb.host.cuda;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceTopology;
import dev.ebb.host.numa.NumaPlacement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.IntSupplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A GPU's primary context, the thread on which it is current, and the stream for the device's work.
 * Everything but {@link #run} and its variants must be called on that thread.
 */
final class CudaContext implements AutoCloseable {

  private final CudaFailures failures;
  private final CudaThread thread;
  private final CUdevice device = new CUdevice();
  private final CUcontext context = new CUcontext();
  private final CUstream stream = new CUstream();
  private String pciAddress = "";
  private DeviceTopology topology = DeviceTopology.of(NumaPlacement.DEFAULT);
  private boolean retained;

  /**
   * Opens the primary context, which other libraries of the process share.
   *
   * @param numaNode returns the NUMA node of a PCI address
   * @throws DeviceException if the driver refuses
   */
  CudaContext(String name, int ordinal, Function<String, Optional<Integer>> numaNode) {
    failures = new CudaFailures(name);
    thread = new CudaThread(name, failures);
    try {
      run(() -> open(ordinal, numaNode));
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void open(int ordinal, Function<String, Optional<Integer>> numaNode) {
    check(JCudaDriver.cuInit(0), "cuInit");
    check(JCudaDriver.cuDeviceGet(device, ordinal), "cuDeviceGet");
    pciAddress = readPciAddress();
    numaNode.apply(pciAddress).ifPresent(this::placeNear);
    check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain");
    retained = true;
    check(JCudaDriver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    // The default stream would wait for, and delay, other libraries that share the context.
    check(
        JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING),
        "cuStreamCreate");
  }

  private String readPciAddress() {
    @Nullable String[] address = new String[1];
    int failure = JCudaDriver.cuDeviceGetPCIBusId(address, 32, device);
    String known = address[0];
    return failure == CUresult.CUDA_SUCCESS && known != null ? known : "";
  }

  /** Allocates the pinned buffers, which this thread requests from the system, near the GPU. */
  private void placeNear(int node) {
    NumaPlacement placement = NumaPlacement.preferring(List.of(node));
    if (placement.applyToThread()) {
      topology = DeviceTopology.of(placement);
    }
  }

  /** Returns the GPU's address, such as {@code 0000:3B:00.0}; empty if unknown. */
  String pciAddress() {
    return pciAddress;
  }

  /** Returns the topology without links. */
  DeviceTopology topology() {
    return topology;
  }

  /** Returns whether this GPU can write to the other's memory directly. */
  boolean canAccess(CudaContext other) {
    return call(() -> {
      int[] can = new int[1];
      check(JCudaDriver.cuDeviceCanAccessPeer(can, device, other.device), "cuDeviceCanAccessPeer");
      return can[0] != 0;
    });
  }

  CUcontext handle() {
    return context;
  }

  CUstream stream() {
    return stream;
  }

  boolean lost() {
    return failures.lost();
  }

  /** Throws if the device was lost before. */
  void refuseIfLost() {
    failures.refuseIfLost();
  }

  void check(int result, String call) {
    failures.check(result, call);
  }

  DeviceException failure(int result, String call, String advice) {
    return failures.failure(result, call, advice);
  }

  /** Waits for the queued work; errors of a kernel appear here. */
  void synchronize() {
    check(JCudaDriver.cuStreamSynchronize(stream), "cuStreamSynchronize");
  }

  /** Runs a task on the context's thread. */
  void run(Runnable task) {
    thread.run(task);
  }

  /** Runs a task with a result on the context's thread. */
  <T> T call(Callable<T> task) {
    return thread.call(task);
  }

  /**
   * Queues work and waits for it. If queueing fails half-way, it still waits for the queued part,
   * whose memory is about to be reused.
   */
  void runToEnd(Runnable queueing) {
    run(() -> {
      try {
        queueing.run();
      } catch (RuntimeException | Error e) {
        int ignored = JCudaDriver.cuStreamSynchronize(stream);
        throw e;
      }
      synchronize();
    });
  }

  /** Releases a resource. On a lost device there is nothing to release. */
  void release(IntSupplier call, String name) {
    thread.callAnyway(() -> {
      if (!lost()) {
        check(call.getAsInt(), name);
      }
      return true;
    });
  }

  /** Releases the context; the driver frees its remaining resources. Must be called once. */
  @Override
  public void close() {
    thread.callAnyway(() -> {
      if (!retained) {
        return CUresult.CUDA_SUCCESS;
      }
      // Whatever these return, nothing more can be done.
      JCudaDriver.cuStreamDestroy(stream);
      JCudaDriver.cuCtxSetCurrent(new CUcontext());
      return JCudaDriver.cuDevicePrimaryCtxRelease(device);
    });
    thread.close();
  }
}
