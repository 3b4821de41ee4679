package dev.ebb.host.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Server-sent events on their way to one caller. */
public final class EventStream {

  private final OutputStream out;

  EventStream(OutputStream out) {
    this.out = out;
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
