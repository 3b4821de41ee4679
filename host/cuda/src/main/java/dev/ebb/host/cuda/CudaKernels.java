package dev.ebb.host.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/** The kernels of {@code kernels.cu}, loaded into one context. */
final class CudaKernels implements AutoCloseable {

  static final int THREADS = 256;

  /** The largest second dimension of a grid. */
  static final int MAX_GRID_Y = 65_535;

  private final CudaContext context;
  private final CUmodule module = new CUmodule();
  final CUfunction copyBlocks;
  final CUfunction gatherTokens;
  final CUfunction windowAttention;
  final CUfunction keyNorms;
  final CUfunction keyMean;

  CudaKernels(CudaContext context) {
    this.context = context;
    context.run(
        () -> context.check(JCudaDriver.cuModuleLoadData(module, ptx()), "cuModuleLoadData"));
    copyBlocks = function("ebb_copy_blocks");
    gatherTokens = function("ebb_gather_tokens");
    windowAttention = function("ebb_window_attention");
    keyNorms = function("ebb_key_norms");
    keyMean = function("ebb_key_mean");
  }

  private static String ptx() {
    try (InputStream ptx = CudaKernels.class.getResourceAsStream("kernels.ptx")) {
      if (ptx == null) {
        throw new IllegalStateException("kernels.ptx is missing from the JAR");
      }
      return new String(ptx.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CUfunction function(String name) {
    CUfunction function = new CUfunction();
    context.run(() ->
        context.check(
            JCudaDriver.cuModuleGetFunction(function, module, name), "cuModuleGetFunction"));
    return function;
  }

  /** Queues a kernel; on the context's thread. */
  void launch(CUfunction kernel, int gridX, int gridY, int sharedBytes, Object... arguments) {
    Pointer[] parameters = new Pointer[arguments.length];
    for (int i = 0; i < parameters.length; i++) {
      parameters[i] =
          switch (arguments[i]) {
            case Long wide -> Pointer.to(new long[] {wide});
            case Integer narrow -> Pointer.to(new int[] {narrow});
            default -> throw new IllegalArgumentException("'" + arguments[i] + "' is not a number");
          };
    }
    context.check(
        JCudaDriver.cuLaunchKernel(
            kernel,
            gridX,
            gridY,
            1,
            THREADS,
            1,
            1,
            sharedBytes,
            context.stream(),
            Pointer.to(parameters),
            null),
        "cuLaunchKernel");
  }

  @Override
  public void close() {
    context.release(() -> JCudaDriver.cuModuleUnload(module), "cuModuleUnload");
  }
}
