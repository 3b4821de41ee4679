package dev.ebb.host.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

public sealed interface Reply {

  /** A complete response body; the bytes must not be changed. */
  @SuppressWarnings("ArrayRecordComponent")
  record Whole(int status, String type, byte[] bytes, Map<String, String> headers)
      implements Reply {}

  /** A response with status 200 whose body is written piece by piece. */
  record Stream(String type, Output output) implements Reply {}

  /** Writes a body piece by piece. */
  interface Output extends AutoCloseable {
    /** Writes the body, and flushes what the client should receive immediately. */
    void writeTo(OutputStream out) throws IOException, InterruptedException;

    /** Called in the end, also if the body could not be written. */
    @Override
    default void close() {}
  }

  static Reply json(Object document) {
    return json(200, document);
  }

  static Reply json(int status, Object document) {
    return new Whole(status, "application/json", utf8(Json.text(document) + "\n"), Map.of());
  }

  /** Returns a text or a page with status 200, in UTF-8. */
  static Reply text(String type, String text) {
    return new Whole(200, type, utf8(text), Map.of());
  }

  /** Returns an error with further headers. */
  static Reply error(int status, Object document, Map<String, String> headers) {
    String json = Json.text(document) + "\n";
    return new Whole(status, "application/json", utf8(json), headers);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
