package dev.ebb.host.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The response to a request. */
public sealed interface Reply {

  /**
   * A complete response body.
   *
   * @param status 200 to 599
   * @param type its media type
   * @param bytes the body; not to be changed
   * @param headers further headers
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Whole(int status, String type, byte[] bytes, Map<String, String> headers)
      implements Reply {}

  /**
   * A stream of events that lasts while the client is connected.
   *
   * @param source writes them
   */
  record Events(Source source) implements Reply {

    /** The media type. */
    public static final String TYPE = "text/event-stream";
  }

  /**
   * A response with status 200 whose body is written piece by piece.
   *
   * @param type its media type
   * @param output writes the body
   */
  record Stream(String type, Output output) implements Reply {}

  /** Writes a body piece by piece. */
  interface Output extends AutoCloseable {
    /**
     * Writes the body, and flushes what the client should receive immediately.
     *
     * @param out the target
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the server is closed
     */
    void writeTo(OutputStream out) throws IOException, InterruptedException;

    /** Called in the end, also if the body could not be written. */
    @Override
    void close();
  }

  /** Writes events to one client. */
  interface Source {
    /**
     * Writes until there are no more events or the client disconnects.
     *
     * @param stream the target
     * @throws IOException if the client has disconnected
     * @throws InterruptedException if the stream is closed
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
   * Returns a text or a page.
   *
   * @param type its media type, with its character set
   * @param text the body
   * @return status 200 and the text in UTF-8
   */
  static Reply text(String type, String text) {
    return new Whole(200, type, utf8(text), Map.of());
  }

  /**
   * Returns an error response.
   *
   * @param status 400 to 599
   * @param document as {@link Json#text} takes it
   * @param headers further headers
   * @return JSON
   */
  static Reply error(int status, Object document, Map<String, String> headers) {
    String json = Json.text(document) + "\n";
    return new Whole(status, "application/json", utf8(json), headers);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
