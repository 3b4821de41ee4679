package dev.ebb.host.cuda;

/** The resources that the slabs of one device share. */
record CudaResources(
    CudaContext context,
    CudaKernels kernels,
    DeviceScratch scratch,
    StagingRing staging,
    PinnedMemory pinned)
    implements AutoCloseable {

  CudaResources(CudaContext context, PinnedMemory pinned) {
    this(
        context,
        new CudaKernels(context),
        new DeviceScratch(context, pinned),
        new StagingRing(context, pinned),
        pinned);
  }

  @Override
  public void close() {
    staging.close();
    scratch.close();
    kernels.close();
  }
}
