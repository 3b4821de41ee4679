package dev.ebb.host.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;

/**
 * A C library whose functions return a result code, 0 for success. It is never unloaded: a driver
 * does not survive that.
 */
@SuppressWarnings("restricted")
record NativeLibrary(SymbolLookup functions) {

  /**
   * Loads a library.
   *
   * @throws IllegalArgumentException if there is none
   */
  static NativeLibrary load(String name) {
    return new NativeLibrary(SymbolLookup.libraryLookup(name, Arena.global()));
  }

  /**
   * Calls a function with pointers and ints.
   *
   * @throws IllegalArgumentException if the library has no such function
   */
  int call(String name, Object... arguments) {
    MemoryLayout[] layouts =
        Arrays.stream(arguments)
            .map(argument -> argument instanceof MemorySegment ? ADDRESS : JAVA_INT)
            .toArray(MemoryLayout[]::new);
    MemorySegment function =
        functions
            .find(name)
            .orElseThrow(() -> new IllegalArgumentException("no function '" + name + "'"));
    try {
      return (int)
          Linker.nativeLinker()
              .downcallHandle(function, FunctionDescriptor.of(JAVA_INT, layouts))
              .invokeWithArguments(arguments);
    } catch (Throwable impossible) {
      throw new IllegalStateException("calling " + name + " failed", impossible);
    }
  }
}
