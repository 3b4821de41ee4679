package dev.ebb.host.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyReaderTest {

  private static final long ID = 42;

  private static byte[] value(Values values) {
    ByteBuffer value = ByteBuffer.allocate(values.size(ID));
    values.put(ID, value);
    return value.array();
  }

  private static ByteBuffer replies(byte[] value) {
    ByteBuffer all = ByteBuffer.allocate(value.length + 200);
    all.put("+OK\r\n$-1\r\n_\r\n:12\r\n-ERR no\r\n$0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    all.put(("$" + value.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
    return all.put(value).put("\r\n+OK\r\n".getBytes(StandardCharsets.US_ASCII)).flip();
  }

  private static List<RequestOutcome> read(
      ByteBuffer all, Values values, boolean verify, Random random) throws IOException {
    ReplyReader reader = new ReplyReader(values, verify);
    List<RequestOutcome> outcomes = new ArrayList<>();
    while (all.hasRemaining()) {
      int part = 1 + random.nextInt(random.nextBoolean() ? 3 : 3_000);
      ByteBuffer piece = all.slice(all.position(), Math.min(part, all.remaining()));
      all.position(all.position() + piece.remaining());
      while (piece.hasRemaining()) {
        RequestOutcome outcome = reader.read(piece, ID);
        if (outcome != null) {
          outcomes.add(outcome);
        }
      }
    }
    return outcomes;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 B", "7 B", "8 B", "3000 B", "2200000 B"})
  void repliesInPiecesOfAnySizeAreRead(String size) throws IOException {
    Values values = new Values(ValueSizes.parse(size), 9);
    for (long seed = 0; seed < 20; seed++) {
      assertThat(read(replies(value(values)), values, true, new Random(seed)))
          .as("seed " + seed)
          .containsExactly(
              RequestOutcome.DONE,
              RequestOutcome.MISSING,
              RequestOutcome.MISSING,
              RequestOutcome.DONE,
              RequestOutcome.ERROR,
              RequestOutcome.FOREIGN,
              RequestOutcome.VALUE,
              RequestOutcome.DONE);
    }
  }

  @Test
  void anyChangedByteIsFound() throws IOException {
    Values values = new Values(ValueSizes.parse("300 B"), 9);
    for (int i = 0; i < 300; i++) {
      byte[] changed = value(values);
      changed[i] ^= 4;
      assertThat(read(replies(changed), values, true, new Random(i)).get(6))
          .as("byte " + i)
          .isEqualTo(i < Values.HEAD ? RequestOutcome.FOREIGN : RequestOutcome.WRONG);
      assertThat(read(replies(changed), values, false, new Random(i)).get(6))
          .isEqualTo(RequestOutcome.VALUE);
    }
  }

  @Test
  void theTextOfAnErrorIsKept() throws IOException {
    ReplyReader reader = new ReplyReader(new Values(ValueSizes.parse("1 B"), 1), true);
    ByteBuffer reply = ByteBuffer.wrap("-ERR no such\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThat(reader.read(reply, ID)).isEqualTo(RequestOutcome.ERROR);
    assertThat(reader.text()).isEqualTo("ERR no such");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 400\r\n", "$x\r\n", "$99999999999\r\n"})
  void whatIsNoReplyIsRefused(String text) {
    ReplyReader reader = new ReplyReader(new Values(ValueSizes.parse("1 B"), 1), true);
    ByteBuffer reply = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> reader.read(reply, ID)).isInstanceOf(IOException.class);
  }
}
