package dev.ebb.host.numa;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The system calls of Linux for memory policies. The C library has no functions for them, and
 * {@code libnuma} is often not installed.
 */
@SuppressWarnings("restricted")
final class MemoryPolicy {

  /** The error of a system call that does not exist. */
  static final int UNSUPPORTED = 38;

  /** The kernel's limit on the number of nodes. */
  private static final int MOST_NODES = 1024;

  /** One more than the bits of the mask: the kernel ignores the last one. */
  static final long MASK_LENGTH = MOST_NODES + 1L;

  /** The numbers of the calls. */
  record Calls(long mbind, long setPolicy, long getPolicy) {}

  static final @Nullable Calls CALLS = calls();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

  private MemoryPolicy() {}

  private static @Nullable Calls calls() {
    if (!System.getProperty("os.name", "").startsWith("Linux")) {
      return null;
    }
    return switch (System.getProperty("os.arch", "")) {
      case "amd64" -> new Calls(237, 238, 239);
      case "aarch64" -> new Calls(235, 237, 236);
      default -> null;
    };
  }

  /** Applies a policy to the pages of a mapping, and returns the error number or 0. */
  static int bind(MemorySegment memory, NumaPlacement.Policy policy, List<Integer> nodes) {
    if (CALLS == null) {
      return UNSUPPORTED;
    }
    try (Arena arena = Arena.ofConfined()) {
      return call(
          CALLS.mbind,
          memory.address(),
          memory.byteSize(),
          policy.number,
          mask(arena, nodes).address(),
          MASK_LENGTH,
          0);
    }
  }

  /** Applies a policy to the current thread, and returns the error number or 0. */
  static int setForThread(NumaPlacement.Policy policy, List<Integer> nodes) {
    if (CALLS == null) {
      return UNSUPPORTED;
    }
    try (Arena arena = Arena.ofConfined()) {
      return call(
          CALLS.setPolicy, policy.number, mask(arena, nodes).address(), MASK_LENGTH, 0, 0, 0);
    }
  }

  /** Returns a mask of nodes that a call can also write to. */
  static MemorySegment mask(Arena arena, List<Integer> nodes) {
    BitSet bits = new BitSet(MOST_NODES);
    nodes.forEach(bits::set);
    long[] words = Arrays.copyOf(bits.toLongArray(), MOST_NODES / Long.SIZE + 1);
    return arena.allocateFrom(JAVA_LONG, words);
  }

  /** Calls the system with up to six arguments, and returns the error number or 0. */
  static int call(long number, long... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long result =
          (long)
              Syscall.HANDLE.invokeExact(
                  state,
                  number,
                  arguments[0],
                  arguments[1],
                  arguments[2],
                  arguments[3],
                  arguments[4],
                  arguments[5]);
      return result < 0 ? (int) ERRNO.get(state, 0L) : 0;
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Linked at the first call: other systems lack the function. */
  private static final class Syscall {
    static final MethodHandle HANDLE =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                    JAVA_LONG),
                Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
  }
}
