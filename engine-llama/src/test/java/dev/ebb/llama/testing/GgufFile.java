package dev.ebb.llama.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

  private static final class Tensor {
    final String name;
    final int[] extents;
    final float[] data;

    Tensor(String name, int[] extents, float[] data) {
      this.name = name;
      this.extents = extents;
      this.data = data;
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

  /** Adds a tensor; the first extent is the one that lies side by side. */
  GgufFile tensor(String name, float[] data, int... extents) {
    tensors.add(new Tensor(name, extents, data));
    return this;
  }

  void write(Path file) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
    int32(out, 3);
    int64(out, tensors.size());
    int64(out, keys);
    out.writeBytes(values.toByteArray());
    long offset = 0;
    for (Tensor tensor : tensors) {
      text(out, tensor.name);
      int32(out, tensor.extents.length);
      for (int extent : tensor.extents) {
        int64(out, extent);
      }
      int32(out, 0);
      int64(out, offset);
      offset += padded(tensor.data.length * Float.BYTES);
    }
    out.writeBytes(new byte[padded(out.size()) - out.size()]);
    for (Tensor tensor : tensors) {
      ByteBuffer bytes =
          ByteBuffer.allocate(padded(tensor.data.length * Float.BYTES))
              .order(ByteOrder.LITTLE_ENDIAN);
      bytes.asFloatBuffer().put(tensor.data);
      out.writeBytes(bytes.array());
    }
    Files.write(file, out.toByteArray());
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
