package dev.ebb.host.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Server-sent events on their way to one caller. */
public final class ServerSentEvents {

  private final OutputStream out;

  ServerSentEvents(OutputStream out) {
    this.out = out;
  }

  /** Tells the caller at once that events will come, with a line that means nothing. */
  void begin() throws IOException {
    out.write(":\n\n".getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  /**
   * Sends one event.
   *
   * @param event its name
   * @param data its content on one line
   * @throws IOException if the caller has gone
   */
  public void send(String event, String data) throws IOException {
    out.write("event: %s\ndata: %s\n\n".formatted(event, data).getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
