package dev.ebb.host.kvevents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

/** The extra keys of the first block of a prompt, as vLLM has them. */
final class ExtraKeys {

  static final byte[] NONE = {};

  private ExtraKeys() {}

  /** Returns the texts as an array in MessagePack. */
  static byte[] of(List<String> texts) {
    if (texts.isEmpty()) {
      return NONE;
    }
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packArrayHeader(texts.size());
      for (String text : texts) {
        out.packString(text);
      }
      return out.toByteArray();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }
}
