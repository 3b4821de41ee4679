package dev.ebb.server.demo;

import dev.ebb.host.http.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Writes a GGUF file, version 3: keys with values, then float32 tensors. */
final class GgufFile {

  private static final int ALIGNMENT = 32;
  private static final int INT32 = 5;
  private static final int UINT32 = 4;
  private static final int FLOAT32 = 6;
  private static final int STRING = 8;
  private static final int ARRAY = 9;

  private final ByteArrayOutputStream values = new ByteArrayOutputStream();
  private final List<Tensor> tensors = new ArrayList<>();
  private int keys;

  private record Tensor(String name, List<Integer> extents, Supplier<float[]> data) {

    int bytes() {
      return extents.stream().reduce(Float.BYTES, Math::multiplyExact);
    }
  }

  /** Adds a key with a text, an Integer, a Float, or a list of one of them. */
  GgufFile put(String key, Object value) {
    keys++;
    text(values, key);
    if (value instanceof List<?> list) {
      int32(values, ARRAY);
      int32(values, list.getFirst() instanceof Integer ? INT32 : type(list.getFirst()));
      int64(values, list.size());
      list.forEach(this::value);
    } else {
      int32(values, type(value));
      value(value);
    }
    return this;
  }

  private static int type(Object value) {
    return value instanceof String ? STRING : value instanceof Float ? FLOAT32 : UINT32;
  }

  private void value(Object value) {
    switch (value) {
      case String text -> text(values, text);
      case Float number -> int32(values, Float.floatToRawIntBits(number));
      default -> int32(values, (Integer) value);
    }
  }

  /**
   * Adds a tensor.
   *
   * @param data called when the tensor is written; tensors are written in the order of this call
   * @param extents the first is that of adjacent elements
   */
  GgufFile tensor(String name, Supplier<float[]> data, List<Integer> extents) {
    tensors.add(new Tensor(name, extents, data));
    return this;
  }

  /** Returns the number of elements of all tensors. */
  long elements() {
    return tensors.stream().mapToLong(tensor -> tensor.bytes() / Float.BYTES).sum();
  }

  /** Writes the file, with one tensor in memory at a time. */
  void write(Path file, OpenOption... options) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
    int32(head, 3);
    int64(head, tensors.size());
    int64(head, keys);
    head.writeBytes(values.toByteArray());
    long offset = 0;
    for (Tensor tensor : tensors) {
      text(head, tensor.name);
      int32(head, tensor.extents.size());
      for (int extent : tensor.extents) {
        int64(head, extent);
      }
      int32(head, 0);
      int64(head, offset);
      offset += padded(tensor.bytes(), ALIGNMENT);
    }
    head.writeBytes(new byte[padded(head.size(), ALIGNMENT) - head.size()]);
    write(file, head, ALIGNMENT, options);
  }

  /**
   * Writes the tensors in the safetensors format, in the same order.
   *
   * @param names returns the name of a tensor in that file
   */
  void writeSafetensors(Path file, UnaryOperator<String> names) throws IOException {
    Map<String, Object> entries = new LinkedHashMap<>();
    long offset = 0;
    for (Tensor tensor : tensors) {
      long end = offset + tensor.bytes();
      entries.put(
          names.apply(tensor.name),
          Map.of(
              "dtype",
              "F32",
              "shape",
              tensor.extents.reversed(),
              "data_offsets",
              List.of(offset, end)));
      offset = end;
    }
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    text(head, Json.text(entries));
    write(file, head, 1);
  }

  private void write(Path file, ByteArrayOutputStream head, int alignment, OpenOption... options)
      throws IOException {
    try (OutputStream out = Files.newOutputStream(file, options)) {
      head.writeTo(out);
      for (Tensor tensor : tensors) {
        ByteBuffer bytes = ByteBuffer.allocate(padded(tensor.bytes(), alignment));
        bytes.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().put(tensor.data.get());
        out.write(bytes.array());
      }
    }
  }

  private static int padded(int bytes, int alignment) {
    return Math.ceilDiv(bytes, alignment) * alignment;
  }

  private static void text(ByteArrayOutputStream out, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    int64(out, bytes.length);
    out.writeBytes(bytes);
  }

  private static void int32(ByteArrayOutputStream out, int value) {
    out.writeBytes(
        ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
  }

  private static void int64(ByteArrayOutputStream out, long value) {
    out.writeBytes(
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
  }
}
