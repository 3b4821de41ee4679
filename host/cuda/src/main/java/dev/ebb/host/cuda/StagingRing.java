package dev.ebb.host.cuda;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/**
 * Copies between a GPU and any host memory through a few pinned slots. While the GPU copies one,
 * the caller's own thread fills or empties another: no other thread can read a confined segment.
 * One transfer at a time.
 */
final class StagingRing implements AutoCloseable {

  /** Large enough that handing over a slot costs little compared with its copy. */
  static final int SLOT_BYTES = 2 << 20;

  private static final int SLOTS = 4;

  private final CudaContext context;
  private final PinnedBuffer pinned;
  private final CUevent[] done = new CUevent[SLOTS];
  private final ReentrantLock lock = new ReentrantLock();

  StagingRing(CudaContext context, PinnedMemory memory) {
    this.context = context;
    pinned = memory.allocate((long) SLOTS * SLOT_BYTES);
    context.run(() -> {
      for (int slot = 0; slot < SLOTS; slot++) {
        done[slot] = new CUevent();
        context.check(
            JCudaDriver.cuEventCreate(done[slot], CUevent_flags.CU_EVENT_DISABLE_TIMING),
            "cuEventCreate");
      }
    });
  }

  void write(long address, MemorySegment source) {
    inTurn(() -> {
      long pieces = pieces(source);
      for (long i = 0; i < pieces; i++) {
        long offset = i * SLOT_BYTES;
        long bytes = Math.min(SLOT_BYTES, source.byteSize() - offset);
        int slot = (int) (i % SLOTS);
        int next = (int) ((i + 1) % SLOTS);
        MemorySegment.copy(source, offset, slot(slot), 0, bytes);
        boolean nextInUse = i + 1 >= SLOTS;
        context.run(() -> {
          context.check(
              JCudaDriver.cuMemcpyHtoDAsync(
                  DevicePointer.at(address + offset),
                  DevicePointer.host(slot(slot).address()),
                  bytes,
                  context.stream()),
              "cuMemcpyHtoDAsync");
          record(slot);
          if (nextInUse) {
            await(next);
          }
        });
      }
      context.run(context::synchronize);
    });
  }

  void read(long address, MemorySegment target) {
    inTurn(() -> {
      long pieces = pieces(target);
      long ahead = Math.min(pieces, SLOTS - 1);
      context.run(() -> {
        for (long i = 0; i < ahead; i++) {
          fetch(address, target.byteSize(), i);
        }
      });
      for (long i = 0; i < pieces; i++) {
        long piece = i;
        int slot = (int) (i % SLOTS);
        context.run(() -> {
          if (piece + ahead < pieces) {
            fetch(address, target.byteSize(), piece + ahead);
          }
          await(slot);
        });
        long offset = i * SLOT_BYTES;
        MemorySegment.copy(
            slot(slot), 0, target, offset, Math.min(SLOT_BYTES, target.byteSize() - offset));
      }
    });
  }

  private static long pieces(MemorySegment segment) {
    return (segment.byteSize() + SLOT_BYTES - 1) / SLOT_BYTES;
  }

  private void fetch(long address, long total, long piece) {
    long offset = piece * SLOT_BYTES;
    int slot = (int) (piece % SLOTS);
    context.check(
        JCudaDriver.cuMemcpyDtoHAsync(
            DevicePointer.host(slot(slot).address()),
            DevicePointer.at(address + offset),
            Math.min(SLOT_BYTES, total - offset),
            context.stream()),
        "cuMemcpyDtoHAsync");
    record(slot);
  }

  private MemorySegment slot(int slot) {
    return pinned.segment().asSlice((long) slot * SLOT_BYTES, SLOT_BYTES);
  }

  private void record(int slot) {
    context.check(JCudaDriver.cuEventRecord(done[slot], context.stream()), "cuEventRecord");
  }

  private void await(int slot) {
    context.check(JCudaDriver.cuEventSynchronize(done[slot]), "cuEventSynchronize");
  }

  /** Runs a transfer; if it fails, no copy that still uses a slot is left behind. */
  private void inTurn(Runnable transfer) {
    lock.lock();
    try {
      transfer.run();
    } catch (RuntimeException | Error e) {
      if (!context.lost()) {
        context.release(
            () -> JCudaDriver.cuStreamSynchronize(context.stream()), "cuStreamSynchronize");
      }
      throw e;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    for (CUevent event : done) {
      context.release(() -> JCudaDriver.cuEventDestroy(event), "cuEventDestroy");
    }
    pinned.close();
  }
}
