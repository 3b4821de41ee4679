package dev.ebb.host.resp.session;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Splits an inline command into words, with quotes and escapes as in Redis. */
public final class InlineWords {

  private static final String ESCAPES = "nrtba";
  private static final String ESCAPED = "\n\r\t\b\u0007";

  private final byte[] line;
  private int at;

  private InlineWords(byte[] line) {
    this.line = line;
  }

  public static List<byte[]> split(byte[] line) throws ProtocolException {
    return new InlineWords(line).words();
  }

  private List<byte[]> words() throws ProtocolException {
    List<byte[]> words = new ArrayList<>();
    while (true) {
      while (at < line.length && space(line[at])) {
        at++;
      }
      if (at == line.length) {
        return words;
      }
      words.add(word());
    }
  }

  private byte[] word() throws ProtocolException {
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    while (at < line.length && !space(line[at])) {
      byte c = line[at++];
      if (c == '"' || c == '\'') {
        quoted(word, c);
        if (at < line.length && !space(line[at])) {
          throw unbalanced();
        }
      } else {
        word.write(c);
      }
    }
    return word.toByteArray();
  }

  private void quoted(ByteArrayOutputStream word, byte quote) throws ProtocolException {
    while (at < line.length) {
      byte c = line[at++];
      if (c == quote) {
        return;
      }
      if (c == '\\' && at < line.length && quote == '"') {
        escape(word);
      } else if (c == '\\' && at < line.length && line[at] == '\'') {
        word.write(line[at++]);
      } else {
        word.write(c);
      }
    }
    throw unbalanced();
  }

  private void escape(ByteArrayOutputStream word) {
    if (line[at] == 'x' && at + 2 < line.length) {
      int high = Character.digit(line[at + 1], 16);
      int low = Character.digit(line[at + 2], 16);
      if (high >= 0 && low >= 0) {
        word.write(high * 16 + low);
        at += 3;
        return;
      }
    }
    int known = ESCAPES.indexOf(line[at]);
    word.write(known < 0 ? line[at] : ESCAPED.charAt(known));
    at++;
  }

  private static boolean space(byte c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0;
  }

  private static ProtocolException unbalanced() {
    return new ProtocolException("unbalanced quotes in request");
  }
}
