package dev.ebb.host.enginebench;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Parses server-sent events from bytes that arrive in any pieces. Comments and other fields than
 * the data are ignored. A last event without an empty line behind it counts too, because some
 * servers end so.
 */
final class SseParser {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final Consumer<String> events;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final StringBuilder data = new StringBuilder();
  private boolean hasData;
  private boolean afterReturn;
  private boolean first = true;

  /**
   * Creates a parser.
   *
   * @param events receives the data of each event
   */
  SseParser(Consumer<String> events) {
    this.events = events;
  }

  void feed(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      byte next = bytes.get();
      boolean lineFeedOfReturn = afterReturn && next == '\n';
      afterReturn = next == '\r';
      if (next == '\n' || next == '\r') {
        if (!lineFeedOfReturn) {
          endLine();
        }
      } else {
        line.write(next);
      }
    }
  }

  void end() {
    if (line.size() > 0) {
      endLine();
    }
    dispatch();
  }

  private void endLine() {
    String text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    if (first && text.startsWith(BYTE_ORDER_MARK)) {
      text = text.substring(1);
    }
    first = false;
    if (text.isEmpty()) {
      dispatch();
    } else {
      field(text);
    }
  }

  private void field(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    String value = colon < 0 ? "" : text.substring(colon + 1);
    value = value.startsWith(" ") ? value.substring(1) : value;
    if (name.equals("data")) {
      data.append(hasData ? "\n" : "").append(value);
      hasData = true;
    } else if (name.equals("error")) {
      // Earlier versions of llama.cpp report errors in a field of their own.
      data.append("{\"error\":").append(value).append('}');
      hasData = true;
    }
  }

  private void dispatch() {
    if (hasData) {
      String event = data.toString();
      data.setLength(0);
      hasData = false;
      events.accept(event);
    }
  }
}
