package dev.ebb.host.cuda;

import dev.ebb.host.device.Slab;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** Copies a range of a GPU's memory to another slab, on the shortest path. */
final class Transfer {

  private final CudaSlab source;
  private final CudaContext context;
  private final long from;
  private final long bytes;

  Transfer(CudaSlab source, long from, long bytes) {
    this.source = source;
    this.context = source.device().context();
    this.from = from;
    this.bytes = bytes;
  }

  void to(Slab target, long to) {
    if (bytes == 0) {
      return;
    }
    if (target instanceof CudaSlab card) {
      card.whileOpen(() -> toCard(card, to));
    } else if (target.segment().isPresent()) {
      source.read(from, target.segment().get().asSlice(to, bytes));
    } else {
      throughHost(target, to);
    }
  }

  private void toCard(CudaSlab target, long to) {
    CudaContext other = target.device().context();
    // The driver may accept a copy to a lost GPU on behalf of the working one.
    other.refuseIfLost();
    if (other == context) {
      context.runToEnd(() ->
          context.check(
              JCudaDriver.cuMemcpyDtoDAsync(
                  DevicePointer.at(target.address() + to),
                  DevicePointer.at(source.address() + from),
                  bytes,
                  context.stream()),
              "cuMemcpyDtoDAsync"));
    } else if (reaches(other)) {
      context.runToEnd(() ->
          context.check(
              JCudaDriver.cuMemcpyPeerAsync(
                  DevicePointer.at(target.address() + to),
                  other.handle(),
                  DevicePointer.at(source.address() + from),
                  context.handle(),
                  bytes,
                  context.stream()),
              "cuMemcpyPeerAsync"));
    } else {
      throughHost(target, to);
    }
  }

  /** Returns whether this GPU can write to the other's memory directly; enables it, if so. */
  private boolean reaches(CudaContext other) {
    if (!context.canAccess(other)) {
      return false;
    }
    context.run(() -> {
      int result = JCudaDriver.cuCtxEnablePeerAccess(other.handle(), 0);
      if (result != CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
        context.check(result, "cuCtxEnablePeerAccess");
      }
    });
    return true;
  }

  private void throughHost(Slab target, long to) {
    long piece = Math.min(bytes, StagingRing.SLOT_BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(piece);
      for (long done = 0; done < bytes; done += piece) {
        MemorySegment part = buffer.asSlice(0, Math.min(piece, bytes - done));
        source.read(from + done, part);
        target.write(to + done, part);
      }
    }
  }
}
