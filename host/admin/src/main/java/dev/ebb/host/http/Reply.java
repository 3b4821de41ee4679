package dev.ebb.host.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a call is answered. */
public sealed interface Reply {

  /**
   * A body that is there as a whole.
   *
   * @param status 200 to 599
   * @param type its media type
   * @param bytes the body; not to be changed
   * @param headers what else to say
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Whole(int status, String type, byte[] bytes, Map<String, String> headers)
      implements Reply {}

  /**
   * Events for as long as the caller listens.
   *
   * @param source writes them
   */
  record Events(Source source) implements Reply {}

  /** Writes events to one caller. */
  interface Source {
    /**
     * Writes until there are no more events or nobody listens.
     *
     * @param stream where to
     * @throws IOException if the caller has gone
     * @throws InterruptedException if the stream is to end
     */
    void writeTo(ServerSentEvents stream) throws IOException, InterruptedException;
  }

  /**
   * Returns a document.
   *
   * @param document as {@link Json#text} takes it
   * @return status 200 and JSON
   */
  static Reply json(Object document) {
    return json(200, document);
  }

  /**
   * Returns a document with a status.
   *
   * @param status 200 to 599
   * @param document as {@link Json#text} takes it
   * @return JSON
   */
  static Reply json(int status, Object document) {
    return new Whole(status, "application/json", utf8(Json.text(document) + "\n"), Map.of());
  }

  /**
   * A text or a page.
   *
   * @param type its media type, with its character set
   * @param text the body
   * @return status 200 and the text in UTF-8
   */
  static Reply text(String type, String text) {
    return new Whole(200, type, utf8(text), Map.of());
  }

  /**
   * Returns a refusal.
   *
   * @param status 400 to 599
   * @param message one line
   * @param headers what else to say
   * @return {@code {"error": message}}
   */
  static Reply error(int status, String message, Map<String, String> headers) {
    String json = Json.text(Map.of("error", message)) + "\n";
    return new Whole(status, "application/json", utf8(json), headers);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
