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

  GgufFile put(String key, int value) {
    key(key, UINT32);
    int32(values, value);
    return this;
  }

  GgufFile put(String key, float value) {
    key(key, FLOAT32);
    int32(values, Float.floatToRawIntBits(value));
    return this;
  }

  GgufFile put(String key, String value) {
    key(key, STRING);
    text(values, value);
    return this;
  }

  GgufFile put(String key, List<String> list) {
    array(key, STRING, list.size());
    list.forEach(value -> text(values, value));
    return this;
  }

  GgufFile put(String key, int[] list) {
    array(key, INT32, list.length);
    for (int value : list) {
      int32(values, value);
    }
    return this;
  }

  GgufFile put(String key, float[] list) {
    array(key, FLOAT32, list.length);
    for (float value : list) {
      int32(values, Float.floatToRawIntBits(value));
    }
    return this;
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
      offset += padded(tensor.bytes());
    }
    head.writeBytes(new byte[padded(head.size()) - head.size()]);
    try (OutputStream out = Files.newOutputStream(file, options)) {
      head.writeTo(out);
      for (Tensor tensor : tensors) {
        ByteBuffer bytes =
            ByteBuffer.allocate(padded(tensor.bytes())).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(tensor.data.get());
        out.write(bytes.array());
      }
    }
  }

  /**
   * Writes the tensors in the safetensors format, in the same order.
   *
   * @param names returns the name of a tensor in that file
   */
  void writeSafetensors(Path file, UnaryOperator<String> names, OpenOption... options)
      throws IOException {
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
    try (OutputStream out = Files.newOutputStream(file, options)) {
      head.writeTo(out);
      for (Tensor tensor : tensors) {
        ByteBuffer bytes = ByteBuffer.allocate(tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(tensor.data.get());
        out.write(bytes.array());
      }
    }
  }

  private static int padded(int bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private void key(String key, int type) {
    keys++;
    text(values, key);
    int32(values, type);
  }

  private void array(String key, int type, int size) {
    key(key, ARRAY);
    int32(values, type);
    int64(values, size);
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
