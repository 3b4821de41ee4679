package dev.ebb.host.numa;

import static java.lang.foreign.ValueLayout.JAVA_INT;
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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The system calls of Linux for memory policies. The C library has no functions for them, and
 * {@code libnuma} is often not installed.
 */
@SuppressWarnings("restricted")
final class MemoryPolicy {

  /** The error of a system call that does not exist. */
  static final int UNSUPPORTED = 38;

  private static final int ADDRESS_FLAG = 2;

  /** The kernel's limit on the number of nodes. */
  private static final int MOST_NODES = 1024;

  /** One more than the bits of the mask: the kernel ignores the last one. */
  private static final long MASK_LENGTH = MOST_NODES + 1L;

  /** The numbers of the calls. */
  private record Calls(long mbind, long setPolicy, long getPolicy) {}

  private static final @Nullable Calls CALLS = calls();
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

  /** Returns the placement of the page at an address; empty if it is unknown. */
  static Optional<NumaPlacement> placementAt(long address) {
    return placement(address, ADDRESS_FLAG);
  }

  /** Returns the placement of the current thread; empty if it is unknown. */
  static Optional<NumaPlacement> placementOfThread() {
    return placement(0, 0);
  }

  private static Optional<NumaPlacement> placement(long address, int flags) {
    if (CALLS == null) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment policy = arena.allocate(JAVA_INT);
      MemorySegment mask = mask(arena, List.of());
      int error =
          call(CALLS.getPolicy, policy.address(), mask.address(), MASK_LENGTH, address, flags, 0);
      int number = policy.get(JAVA_INT, 0);
      return Arrays.stream(NumaPlacement.Policy.values())
          .filter(known -> error == 0 && known.number == number)
          .map(known -> new NumaPlacement(known, nodes(mask)))
          .findFirst();
    }
  }

  private static MemorySegment mask(Arena arena, List<Integer> nodes) {
    BitSet bits = new BitSet(MOST_NODES);
    nodes.forEach(bits::set);
    long[] words = Arrays.copyOf(bits.toLongArray(), MOST_NODES / Long.SIZE + 1);
    return arena.allocateFrom(JAVA_LONG, words);
  }

  private static List<Integer> nodes(MemorySegment mask) {
    return BitSet.valueOf(mask.toArray(JAVA_LONG)).stream().boxed().toList();
  }

  private static int call(long number, long... arguments) {
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
