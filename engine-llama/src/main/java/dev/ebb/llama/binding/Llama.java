package dev.ebb.llama.binding;

import dev.ebb.host.errors.UserError;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** llama.cpp, loaded on first use. Its log is not shown; its first error is kept. */
@SuppressWarnings("restricted")
public final class Llama {

  private static final int ERROR = 4;
  private static final int CONTINUED = 5;
  private static final int MOST_OPERATIONS = 64;

  private static @Nullable Native loaded;
  private static String complaint = "";
  private static boolean completing;

  private Llama() {}

  /** Loads the library once; throws {@link UserError} with what this machine lacks. */
  public static void load() {
    library();
  }

  static synchronized Native library() {
    if (loaded == null) {
      Native fresh = NativeLibrary.open();
      fresh.llamaLogSet(logCallback(), MemorySegment.NULL);
      fresh.llamaBackendInit();
      loaded = fresh;
    }
    return loaded;
  }

  /** Returns llama.cpp's first error since the last call of this, or nothing. */
  static synchronized String complaint() {
    String first = complaint.strip();
    complaint = "";
    completing = false;
    return first;
  }

  /** Returns the number of an operation in a graph, which changes from build to build. */
  static int operation(String name) {
    for (int operation = 0; operation < MOST_OPERATIONS; operation++) {
      MemorySegment found = library().ggmlOpName(operation);
      if (text(found).equals(name)) {
        return operation;
      }
    }
    throw new IllegalStateException("llama.cpp has no operation " + name);
  }

  static String text(MemorySegment address) {
    return address.equals(MemorySegment.NULL)
        ? ""
        : address.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static MemorySegment logCallback() {
    try {
      FunctionDescriptor shape =
          FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
      MethodHandle target =
          MethodHandles.lookup().findStatic(Llama.class, "logged", shape.toMethodType());
      return Linker.nativeLinker().upcallStub(target, shape, Arena.global());
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Called from C, where an exception would end the process. */
  @SuppressWarnings({"unused", "CatchAndPrintStackTrace"})
  private static synchronized void logged(int level, MemorySegment text, MemorySegment user) {
    try {
      if (level == ERROR) {
        // Later errors follow from it.
        completing = complaint.isEmpty();
        complaint = completing ? text(text) : complaint;
      } else if (level == CONTINUED && completing) {
        complaint += text(text);
      } else {
        completing = false;
      }
    } catch (RuntimeException | Error lost) {
      complaint = "";
    }
  }
}
