package dev.ebb.benchmarks;

import dev.ebb.host.tokens.signals.LayerKeys;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Window attention as plain loops in C, built with the machine's compiler. */
final class NativeLoops {

  private static final String SOURCE =
      """
      #include <math.h>
      typedef _Float16 half;
      void attention(const half* slab, const long long* keys, int kvHeads, int length, int dim,
                     int group, int window, const float* q, float* out) {
        for (int h = 0; h < kvHeads * group; h++)
          for (int t = 0; t < window; t++) {
            const float* query = q + ((long long)h * window + t) * dim;
            float* row = out + ((long long)h * window + t) * length;
            int seen = length - window + t + 1;
            float largest = -INFINITY, sum = 0;
            for (int s = 0; s < seen; s++) {
              const half* key = slab + keys[(long long)(h / group) * length + s];
              float dot = 0;
              for (int d = 0; d < dim; d++) dot += query[d] * (float)key[d];
              row[s] = dot / sqrtf(dim);
              if (row[s] > largest) largest = row[s];
            }
            for (int s = 0; s < seen; s++) { row[s] = expf(row[s] - largest); sum += row[s]; }
            for (int s = 0; s < seen; s++) row[s] /= sum;
            for (int s = seen; s < length; s++) row[s] = 0;
          }
      }
      """;

  private final Arena arena;
  private final MethodHandle attention;

  private NativeLoops(Arena arena, MethodHandle attention) {
    this.arena = arena;
    this.attention = attention;
  }

  /** Null where there is no compiler. */
  @SuppressWarnings("restricted")
  static @Nullable NativeLoops build(Arena arena) throws IOException {
    Path folder = Files.createTempDirectory("ebb-loops-");
    Path source = Files.writeString(folder.resolve("loops.c"), SOURCE);
    Path library = folder.resolve("loops.so");
    try {
      Process compiler =
          new ProcessBuilder(
                  "cc",
                  "-O3",
                  "-march=native",
                  "-shared",
                  "-fPIC",
                  "-o",
                  library.toString(),
                  source.toString(),
                  "-lm")
              .inheritIO()
              .start();
      if (compiler.waitFor() != 0) {
        return null;
      }
    } catch (IOException absent) {
      return null;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return null;
    }
    MethodHandle handle =
        Linker.nativeLinker()
            .downcallHandle(
                SymbolLookup.libraryLookup(library, arena).find("attention").orElseThrow(),
                FunctionDescriptor.ofVoid(
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS));
    return new NativeLoops(arena, handle);
  }

  /** The same as the Java side computes. */
  long attention(
      MemorySegment slab,
      LayerKeys keys,
      int queryHeads,
      int window,
      MemorySegment queries,
      MemorySegment scores) {
    MemorySegment places = arena.allocate((long) keys.kvHeads() * keys.length() * Long.BYTES, 8);
    for (int head = 0; head < keys.kvHeads(); head++) {
      for (int s = 0; s < keys.length(); s++) {
        places.setAtIndex(
            ValueLayout.JAVA_LONG,
            (long) head * keys.length() + s,
            keys.offset(head, s) / Short.BYTES);
      }
    }
    try {
      attention.invokeExact(
          slab,
          places,
          keys.kvHeads(),
          keys.length(),
          keys.layout().headDim(),
          queryHeads / keys.kvHeads(),
          window,
          queries,
          scores);
    } catch (Throwable failed) {
      throw new IllegalStateException(failed);
    }
    return 1;
  }
}
