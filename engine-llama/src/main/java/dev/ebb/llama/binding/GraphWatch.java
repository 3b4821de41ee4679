package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * The callback of llama.cpp for each tensor of a graph: first whether to show it, then its data.
 * Attention is the softmax with a mask, keys are the rotation named {@code Kcur-L}.
 */
@SuppressWarnings("restricted")
final class GraphWatch {

  private static final long SIZE = Structs.TENSOR.byteSize();
  private static final long TYPE = Structs.offset(Structs.TENSOR, "type");
  private static final int FLOAT32 = 0;
  private static final long OPERATION = Structs.offset(Structs.TENSOR, "op");
  private static final long NAME = Structs.offset(Structs.TENSOR, "name");
  private static final long EXTENTS = Structs.offset(Structs.TENSOR, "ne");
  private static final long STRIDES = Structs.offset(Structs.TENSOR, "nb");
  private static final long DATA = Structs.offset(Structs.TENSOR, "data");
  private static final long MASK =
      Structs.offset(Structs.TENSOR, "src") + ValueLayout.ADDRESS.byteSize();
  private static final String KEYS = "Kcur-";

  private final AttentionWatch watch;
  private final boolean keys;
  private final int softmax = Llama.operation("SOFT_MAX");
  private final int rotation = Llama.operation("ROPE");
  private final MemorySegment callback;
  private @Nullable Throwable failure;
  private int layer;

  GraphWatch(AttentionWatch watch, Arena arena) {
    this.watch = watch;
    this.keys = watch.wantsKeys();
    this.callback =
        NativeLibrary.callback(
            MethodHandles.lookup(),
            this,
            "asked",
            FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS, JAVA_BOOLEAN, ADDRESS),
            arena);
  }

  /** Returns the function for llama.cpp, valid as long as the arena. */
  MemorySegment callback() {
    return callback;
  }

  void begin() {
    layer = 0;
    failure = null;
  }

  int end() {
    if (failure instanceof RuntimeException exception) {
      throw exception;
    } else if (failure instanceof Error error) {
      throw error;
    }
    return layer;
  }

  /** Called from C, where an exception would end the process. */
  @SuppressWarnings({"unused", "CatchingUnchecked"})
  private boolean asked(MemorySegment address, boolean whether, MemorySegment user) {
    if (failure != null) {
      return false;
    }
    try {
      MemorySegment tensor = address.reinterpret(SIZE);
      boolean rows = isAttention(tensor);
      boolean wanted = rows || isKeys(tensor);
      if (!whether && wanted) {
        show(tensor, rows);
      }
      return wanted || !whether;
    } catch (RuntimeException | Error failed) {
      failure = failed;
      return false;
    }
  }

  private boolean isAttention(MemorySegment tensor) {
    return tensor.get(JAVA_INT, OPERATION) == softmax
        && !tensor.get(ADDRESS, MASK).equals(MemorySegment.NULL);
  }

  private boolean isKeys(MemorySegment tensor) {
    return keys
        && tensor.get(JAVA_INT, OPERATION) == rotation
        && tensor.getString(NAME).startsWith(KEYS);
  }

  private void show(MemorySegment tensor, boolean rows) {
    if (tensor.get(JAVA_INT, TYPE) != FLOAT32) {
      throw new IllegalStateException("attention tensor is not float32");
    }
    int[] extents = new int[4];
    long bytes = Float.BYTES;
    for (int i = 0; i < extents.length; i++) {
      extents[i] = Math.toIntExact(tensor.get(JAVA_LONG, EXTENTS + (long) i * Long.BYTES));
      if (tensor.get(JAVA_LONG, STRIDES + (long) i * Long.BYTES) != bytes) {
        throw new IllegalStateException("attention tensor is not contiguous");
      }
      bytes *= extents[i];
    }
    MemorySegment data = tensor.get(ADDRESS, DATA).reinterpret(bytes).asReadOnly();
    if (rows) {
      watch.attention(layer++, data, extents[2], extents[1], extents[0]);
    } else {
      watch.keys(
          Integer.parseInt(tensor.getString(NAME).substring(KEYS.length())),
          data,
          extents[2],
          extents[1],
          extents[0]);
    }
  }
}
