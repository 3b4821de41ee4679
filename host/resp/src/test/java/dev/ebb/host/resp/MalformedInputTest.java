package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MalformedInputTest {

  private static final String[] PIECES = {
    "*3\r\n",
    "$3\r\nSET\r\n",
    "$1\r\nk\r\n",
    "$3\r\nabc\r\n",
    "$-1\r\n",
    "*-1\r\n",
    "*0\r\n",
    "$99999999999\r\n",
    "$536870913\r\n",
    "*2147483648\r\n",
    "\r\n",
    "\n",
    "GET k\r\n",
    "\"",
    "'",
    "SET k v\r\n",
    "$100000\r\nxx",
    "*1\r\n$4\r\nPING\r\n",
    "+OK\r\n",
    "*1048576\r\n",
    "\\x",
    "SCAN 0 MATCH [a-\r\n"
  };

  @ParameterizedTest
  @CsvSource({
    "*x, invalid multibulk length",
    "*2147483648, invalid multibulk length",
    "*2147483647|:3, 'expected ''$'', got '':'''",
    "*1|:3, 'expected ''$'', got '':'''",
    "*1|$x, invalid bulk length",
    "*1|$-1, invalid bulk length",
    "GET \"k, unbalanced quotes in request"
  })
  void theConnectionIsReportedAndClosed(String input, String reply) throws IOException {
    try (RunningServer server = RunningServer.of(1 << 20);
        RawClient client = new RawClient(server.port())) {
      client.send((input.replace("|", "\r\n") + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      assertThat(client.reply()).isEqualTo("-ERR Protocol error: " + reply + "\r\n");
      assertThat(client.closed()).isTrue();
    }
  }

  @Test
  void randomInputDoesNotAffectOtherClients() throws IOException {
    storm(2_000, 11);
  }

  @Test
  @Tag("stress")
  void muchRandomInputDoesNotAffectOtherClients() throws IOException {
    storm(100_000, 12);
  }

  private static void storm(int inputs, long seed) throws IOException {
    Random random = new Random(seed);
    try (RunningServer server = RunningServer.of(4 << 20);
        RawClient other = new RawClient(server.port())) {
      long heap = 0;
      long direct = 0;
      long clients = 1;
      for (int i = 0; i < inputs; i++) {
        try (RawClient client = new RawClient(server.port())) {
          clients++;
          client.send(input(random));
        } catch (IOException closedEarly) {
          // What the server may do with such a client.
        }
        if (i == inputs / 10) {
          heap = Memory.heapBytes();
          direct = Memory.directBytes();
        }
        if (i % 50 == 0) {
          assertThat(other.call("PING")).as("seed " + seed + ", input " + i).isEqualTo("+PONG\r\n");
        }
      }
      // Clients may still wait to be accepted, and store values then.
      long all = clients;
      Awaiting.until(
          () -> server.server().stats().connectionsEver() == all && connected(other) == 1);
      assertThat(other.call("FLUSHALL")).isEqualTo("+OK\r\n");
      assertThat(server.store().stats().usedBytes()).as("seed " + seed).isZero();
      assertThat(Memory.heapBytes()).as("seed " + seed).isLessThan(heap + Memory.NOISE);
      assertThat(Memory.directBytes()).as("seed " + seed).isLessThan(direct + Memory.NOISE);
    }
  }

  private static int connected(RawClient client) {
    return info(client)
        .lines()
        .filter(line -> line.startsWith("connected_clients:"))
        .mapToInt(line -> Integer.parseInt(line.substring(line.indexOf(':') + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static String info(RawClient client) {
    try {
      return client.call("INFO", "clients");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static byte[] input(Random random) {
    if (random.nextInt(4) == 0) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      return bytes;
    }
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(8); i >= 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    if (random.nextInt(3) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return random.nextInt(3) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
  }
}
