package dev.ebb.host.numa;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

/** Forbids a system call to the current thread, for as long as it lives. */
final class SeccompFilter {

  private static final int SET_NO_NEW_PRIVILEGES = 38;
  private static final int SET_SECCOMP = 22;
  private static final int FILTER_MODE = 2;

  private static final int LOAD_NUMBER = 0x20;
  private static final int JUMP_IF_EQUAL = 0x15;
  private static final int RETURN = 0x06;
  private static final int PERMISSION_DENIED = 0x00050001;
  private static final int ALLOWED = 0x7fff0000;

  private SeccompFilter() {}

  /** Lets a call fail with EPERM. */
  static void forbid(int call) {
    try (Arena arena = Arena.ofConfined()) {
      // Each instruction: its code (16 bits), jumps if true and if false (8 bits each), an operand.
      MemorySegment program =
          arena.allocateFrom(
              JAVA_INT,
              LOAD_NUMBER,
              0,
              JUMP_IF_EQUAL | 1 << 24,
              call,
              RETURN,
              PERMISSION_DENIED,
              RETURN,
              ALLOWED);
      MemorySegment filter = arena.allocate(16, 8);
      filter.set(JAVA_SHORT, 0, (short) 4);
      filter.set(ADDRESS, 8, program);
      control(SET_NO_NEW_PRIVILEGES, 1, 0);
      control(SET_SECCOMP, FILTER_MODE, filter.address());
    }
  }

  @SuppressWarnings("restricted")
  private static void control(int option, long first, long second) {
    try {
      int failure =
          (int)
              Linker.nativeLinker()
                  .downcallHandle(
                      Linker.nativeLinker().defaultLookup().findOrThrow("prctl"),
                      FunctionDescriptor.of(
                          JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                      Linker.Option.firstVariadicArg(1))
                  .invokeExact(option, first, second, 0L, 0L);
      if (failure != 0) {
        throw new IllegalStateException("prctl failed");
      }
    } catch (RuntimeException failed) {
      throw failed;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }
}
