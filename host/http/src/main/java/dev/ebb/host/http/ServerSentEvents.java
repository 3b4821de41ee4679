package dev.ebb.host.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A stream of server-sent events to one client. */
public final class ServerSentEvents {

  /** The media type. */
  public static final String TYPE = "text/event-stream";

  private final OutputStream out;

  public ServerSentEvents(OutputStream out) {
    this.out = out;
  }

  /** Sends a comment line immediately, so that the client sees that the stream is open. */
  void begin() throws IOException {
    out.write(":\n\n".getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  /** Sends an event with its content on one line. */
  public void send(String event, String data) throws IOException {
    send(encoded(event, data));
  }

  /** Sends an event that was encoded before, perhaps for several clients. */
  void send(byte[] encoded) throws IOException {
    out.write(encoded);
    out.flush();
  }

  static byte[] encoded(String event, String data) {
    return "event: %s\ndata: %s\n\n".formatted(event, data).getBytes(StandardCharsets.UTF_8);
  }
}
