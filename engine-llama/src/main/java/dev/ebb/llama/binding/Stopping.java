package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.CancellationException;

/** The flag that stops a computation. llama.cpp checks it between the steps of a graph. */
@SuppressWarnings("restricted")
final class Stopping {

  private final MemorySegment callback;
  private volatile boolean asked;

  Stopping(Arena arena) {
    callback =
        NativeLibrary.callback(
            MethodHandles.lookup(),
            this,
            "asked",
            FunctionDescriptor.of(JAVA_BOOLEAN, JAVA_LONG),
            arena);
  }

  /** Returns the function for llama.cpp, valid as long as the arena. */
  MemorySegment callback() {
    return callback;
  }

  void stop() {
    asked = true;
  }

  void check() {
    if (asked) {
      throw new CancellationException("the computation was stopped");
    }
  }

  /** Called from C, hundreds of times for each token: a number is an address without an object. */
  @SuppressWarnings("unused")
  private boolean asked(long user) {
    return asked;
  }
}
