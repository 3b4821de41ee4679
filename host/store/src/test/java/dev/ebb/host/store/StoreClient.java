package dev.ebb.host.store;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A store as tests use it: keys are texts, values come in one piece. */
record StoreClient(ObjectStore store) {

  static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  SetResult set(String key, byte[] value, SetOptions options) {
    try (ValueWriter writer = store.write(bytes(key), value.length)) {
      int cut = value.length / 3;
      writer.write(ByteBuffer.wrap(value, 0, cut));
      writer.write(ByteBuffer.wrap(value, cut, value.length - cut));
      return writer.commit(options);
    }
  }

  SetResult set(String key, int length) {
    return set(key, new byte[length], SetOptions.PLAIN);
  }

  byte @Nullable [] get(String key) {
    ValueReader reader = store.get(bytes(key));
    return reader == null ? null : read(reader);
  }

  boolean has(String key) {
    return store.length(bytes(key)) >= 0;
  }

  EntryView view(String key) {
    return store.find(bytes(key)).orElseThrow();
  }

  Set<String> keys() {
    Set<String> keys = new HashSet<>();
    long cursor = 0;
    do {
      ScanPage page = store.scan(cursor, 7, key -> true);
      page.keys().forEach(key -> keys.add(new String(key, StandardCharsets.UTF_8)));
      cursor = page.next();
    } while (cursor != 0);
    return keys;
  }

  /** The whole value; closes the reader. */
  static byte[] read(ValueReader reader) {
    try (reader) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      while (out.size() < reader.length()) {
        ByteBuffer piece = reader.piece(out.size(), 100_000);
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        out.writeBytes(bytes);
      }
      return out.toByteArray();
    }
  }
}
