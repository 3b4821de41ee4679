package dev.ebb.host.cuda;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import dev.ebb.host.tokens.signals.SignalKernels;
import dev.ebb.host.tokens.signals.SignalSlab;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.ToIntFunction;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** A range of a GPU's memory. */
public final class CudaSlab implements SignalSlab {

  private final CudaDevice device;
  private final CudaResources resources;
  private final DevicePointer pointer;
  private final long bytes;
  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
  private boolean closed;

  CudaSlab(CudaDevice device, CudaResources resources, DevicePointer pointer, long bytes) {
    this.device = device;
    this.resources = resources;
    this.pointer = pointer;
    this.bytes = bytes;
  }

  @Override
  public CudaDevice device() {
    return device;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long address() {
    return pointer.value();
  }

  @Override
  public Optional<MemorySegment> segment() {
    return Optional.empty();
  }

  @Override
  public Optional<byte[]> ipcHandle() {
    CUipcMemHandle handle = new CUipcMemHandle();
    CudaContext context = resources.context();
    whileOpen(() ->
        context.run(() ->
            context.check(JCudaDriver.cuIpcGetMemHandle(handle, pointer), "cuIpcGetMemHandle")));
    return Optional.of(IpcHandles.bytes(handle));
  }

  @Override
  public SignalKernels signals() {
    return new CudaSignals(this, resources);
  }

  @Override
  public void copyBlocks(BlockMoves moves, long blockBytes) {
    whileOpen(() -> new BlockCopy(resources, this).run(moves, blockBytes));
  }

  @Override
  public void gatherTokens(TokenGather gather) {
    whileOpen(() -> new Gather(resources, this).run(gather));
  }

  @Override
  public void read(long offset, MemorySegment target) {
    Objects.checkFromIndexSize(offset, target.byteSize(), bytes);
    whileOpen(() -> {
      long from = address() + offset;
      if (!copiedStraight(
          target,
          "cuMemcpyDtoHAsync",
          stream ->
              JCudaDriver.cuMemcpyDtoHAsync(
                  DevicePointer.host(target.address()),
                  DevicePointer.at(from),
                  target.byteSize(),
                  stream))) {
        resources.staging().read(from, target);
      }
    });
  }

  @Override
  public void write(long offset, MemorySegment source) {
    Objects.checkFromIndexSize(offset, source.byteSize(), bytes);
    whileOpen(() -> {
      long to = address() + offset;
      if (!copiedStraight(
          source,
          "cuMemcpyHtoDAsync",
          stream ->
              JCudaDriver.cuMemcpyHtoDAsync(
                  DevicePointer.at(to),
                  DevicePointer.host(source.address()),
                  source.byteSize(),
                  stream))) {
        resources.staging().write(to, source);
      }
    });
  }

  /** Copies without staging if the GPU can reach the host's memory by itself. */
  private boolean copiedStraight(
      MemorySegment host, String call, ToIntFunction<CUstream> queueing) {
    CudaContext context = resources.context();
    boolean pinned = resources.pinned().covers(host);
    if (pinned) {
      context.runToEnd(() -> context.check(queueing.applyAsInt(context.stream()), call));
    }
    return pinned;
  }

  @Override
  public void transferTo(Slab target, long from, long to, long length) {
    Objects.checkFromIndexSize(from, length, bytes);
    Objects.checkFromIndexSize(to, length, target.bytes());
    whileOpen(() -> new Transfer(this, from, length).to(target, to));
  }

  /** Refuses a block outside the slab. */
  void requireBlock(int block, long blockBytes) {
    if (block < 0 || block >= bytes / blockBytes) {
      throw new IndexOutOfBoundsException(
          "block '%d' is not in the slab, which has %d blocks"
              .formatted(block, bytes / blockBytes));
    }
  }

  /**
   * Runs a task during which the memory is not freed. It does not queue: two slabs that copy to
   * each other while both are being closed would otherwise deadlock.
   */
  void whileOpen(Runnable task) {
    if (!use.readLock().tryLock()) {
      throw gone();
    }
    try {
      if (closed) {
        throw gone();
      }
      task.run();
    } finally {
      use.readLock().unlock();
    }
  }

  private IllegalStateException gone() {
    return new IllegalStateException("a slab of '%s' is closed".formatted(device.name()));
  }

  @Override
  public void close() {
    use.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        device.forget(this);
        resources.context().release(() -> JCudaDriver.cuMemFree(pointer), "cuMemFree");
      }
    } finally {
      use.writeLock().unlock();
    }
  }
}
