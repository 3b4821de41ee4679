package dev.ebb.host.loadgen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads replies from pieces of any size. Values are compared or skipped, never kept. */
final class ReplyReader {

  private static final int LONGEST_LINE = 512;
  private static final int END = 2;

  private enum State {
    LINE,
    BODY,
    END
  }

  private final Values values;
  private final boolean verify;
  private final byte[] line = new byte[LONGEST_LINE];
  private State state = State.LINE;
  private int length;
  private boolean lineEnded;
  private int size;
  private int place;
  private int missing;
  private boolean right;

  /** The size or the first bytes are not those of this run's value. */
  private boolean foreign;

  ReplyReader(Values values, boolean verify) {
    this.values = values;
    this.verify = verify;
  }

  /** Returns the last line that was read, without its type byte. */
  String text() {
    return length == 0 ? "" : new String(line, 1, length - 1, StandardCharsets.ISO_8859_1);
  }

  /** Returns the size of the last value, in bytes. */
  int size() {
    return size;
  }

  /**
   * Reads more of the reply to a request for a key.
   *
   * @return null if bytes are missing
   */
  @Nullable RequestOutcome read(ByteBuffer in, long id) throws IOException {
    while (in.hasRemaining()) {
      switch (state) {
        case LINE -> {
          RequestOutcome whole = line(in, id);
          if (whole != null) {
            return whole;
          }
        }
        case BODY -> body(in, id);
        case END -> {
          int part = Math.min(missing, in.remaining());
          in.position(in.position() + part);
          missing -= part;
          if (missing == 0) {
            state = State.LINE;
            return outcome();
          }
        }
      }
    }
    return null;
  }

  private RequestOutcome outcome() {
    if (right) {
      return RequestOutcome.VALUE;
    }
    return foreign ? RequestOutcome.FOREIGN : RequestOutcome.WRONG;
  }

  private @Nullable RequestOutcome line(ByteBuffer in, long id) throws IOException {
    if (lineEnded) {
      lineEnded = false;
      length = 0;
    }
    while (in.hasRemaining()) {
      byte next = in.get();
      if (length < LONGEST_LINE) {
        line[length++] = next;
      }
      if (next == '\n') {
        lineEnded = true;
        return reply(id);
      }
    }
    return null;
  }

  private @Nullable RequestOutcome reply(long id) throws IOException {
    byte kind = line[0];
    length -= length > 1 && line[length - 2] == '\r' ? END : 1;
    RequestOutcome outcome =
        switch (kind) {
          case '+', ':' -> RequestOutcome.DONE;
          case '-' -> RequestOutcome.ERROR;
          case '_' -> RequestOutcome.MISSING;
          case '$' -> line[1] == '-' ? RequestOutcome.MISSING : null;
          default -> throw new IOException("a reply began with '" + (char) (kind & 0xFF) + "'");
        };
    if (outcome == null) {
      size = number();
      place = 0;
      right = !verify || size == values.size(id);
      foreign = !right;
      missing = size == 0 ? END : size;
      state = size == 0 ? State.END : State.BODY;
    }
    return outcome;
  }

  private void body(ByteBuffer in, long id) {
    int part = Math.min(missing, in.remaining());
    if (verify && right) {
      foreign = !values.headMatches(id, place, in, part);
      right = values.matches(id, place, in, part);
    } else {
      in.position(in.position() + part);
    }
    place += part;
    missing -= part;
    if (missing == 0) {
      missing = END;
      state = State.END;
    }
  }

  private int number() throws IOException {
    int number = 0;
    for (int i = 1; i < length; i++) {
      int digit = line[i] - '0';
      if (digit < 0 || digit > 9 || number > ValueSizes.LARGEST / 10) {
        throw new IOException("a value's size was '" + text() + "'");
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
