package dev.ebb.host.device;

import dev.ebb.host.units.ByteSize;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Memory mapped directly from the operating system: any size, zeroed, with no physical page until
 * it is first written. An arena would first write zeros to all of it.
 */
@SuppressWarnings("restricted")
final class AnonymousMapping {

  private static final int READ_WRITE = 3;
  private static final int PRIVATE = 2;
  private static final int ANONYMOUS_LINUX = 0x20;
  private static final int ANONYMOUS_BSD = 0x1000;
  private static final int NO_RESERVE_LINUX = 0x4000;
  private static final int HUGE_PAGES_LINUX = 14;
  private static final long HUGE_PAGE = 2L << 20;

  private static final boolean LINUX = System.getProperty("os.name", "").startsWith("Linux");
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle MMAP =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("mmap"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle MUNMAP =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("munmap"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle MADVISE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("madvise"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT));

  private AnonymousMapping() {}

  /** Maps memory that is unmapped when the arena closes. */
  static MemorySegment map(long bytes, Arena arena) {
    long whole = Math.ceilDiv(bytes, HUGE_PAGE) * HUGE_PAGE;
    long address = mmap(whole);
    if (LINUX) {
      // Only a hint: without huge pages the memory is the same.
      call(MADVISE, address, whole, HUGE_PAGES_LINUX);
    }
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, arena, mapped -> call(MUNMAP, mapped.address(), whole));
  }

  private static long mmap(long bytes) {
    int flags = PRIVATE | (LINUX ? ANONYMOUS_LINUX | NO_RESERVE_LINUX : ANONYMOUS_BSD);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long address = (long) MMAP.invokeExact(state, 0L, bytes, READ_WRITE, flags, -1, 0L);
      if (address == -1) {
        throw new DeviceException(
            "the operating system cannot map '%s' for the pool (mmap: errno %d); lower ebb.pool.size, or raise 'ulimit -v'"
                .formatted(ByteSize.format(bytes), (int) ERRNO.get(state, 0L)));
      }
      return address;
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static void call(MethodHandle function, Object... arguments) {
    try {
      function.invokeWithArguments(arguments);
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }
}
