package dev.ebb.host.cuda;

/** The resources that the slabs of one device share. */
final class CudaResources implements AutoCloseable {

  private final CudaContext context;
  private final CudaKernels kernels;
  private final DeviceScratch scratch;
  private final StagingRing staging;
  private final PinnedMemory pinned;

  CudaResources(CudaContext context, PinnedMemory pinned) {
    this.context = context;
    this.pinned = pinned;
    kernels = new CudaKernels(context);
    scratch = new DeviceScratch(context, pinned);
    staging = new StagingRing(context, pinned);
  }

  CudaContext context() {
    return context;
  }

  CudaKernels kernels() {
    return kernels;
  }

  DeviceScratch scratch() {
    return scratch;
  }

  StagingRing staging() {
    return staging;
  }

  PinnedMemory pinned() {
    return pinned;
  }

  @Override
  public void close() {
    staging.close();
    scratch.close();
    kernels.close();
  }
}
