package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.loadgen.Bench;
import dev.ebb.host.loadgen.BenchLoad;
import dev.ebb.host.loadgen.BenchResult;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.KeySequence;
import dev.ebb.host.loadgen.ValueSizes;
import dev.ebb.host.resp.net.Transport;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bytes on their way between sockets and pool, with each way to read and write sockets. */
class TransportTest {

  private static final Bench.Progress SILENT = (phase, seconds, requests, bytes) -> {};

  /** Around the borders of blocks, of what is read in place, and of what is taken at a time. */
  private static final String SIZES =
      "1 B,1000 B,4095 B,4096 B,5 KiB,16384 B,16385 B,65512 B,65513 B,65514 B,65535 B,65536 B,"
          + "65537 B,131072 B,1048575 B,1048576 B,1048600 B,2500000 B";

  static Stream<Transport> transports() {
    return Stream.of(Transport.nio(), Transport.best()).distinct();
  }

  private static BenchResult load(
      RunningServer server, double gets, int pipeline, long requests, Bench.Progress progress) {
    BenchLoad load =
        new BenchLoad(
            gets, true, true, 0, 6, pipeline, Duration.ZERO, Duration.ofMinutes(5), requests, 1);
    SyntheticOptions popularity = new SyntheticOptions().objects(200).skew(0.8).seed(pipeline);
    try (KeySequence keys =
        new KeySequence(() -> new SyntheticTrace(SyntheticTrace.Shape.ZIPF, popularity))) {
      return Bench.run(
          new BenchTarget("127.0.0.1", server.port(), null, 0, null),
          load,
          ValueSizes.parse(SIZES),
          keys,
          progress);
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void valuesOfAnySizeComeBackAsTheyWere(Transport transport) {
    try (RunningServer server = RunningServer.of(24 << 20, null, false, transport)) {
      for (int pipeline : new int[] {1, 7}) {
        BenchResult result = load(server, 0.6, pipeline, 1_000, SILENT);
        assertThat(result.good()).as(result.toString()).isTrue();
        assertThat(result.hits()).isPositive();
      }
      assertThat(server.store().stats().evicted()).isPositive();
      // What a client has asked for and does not wait for is done all the same.
      Awaiting.until(() -> server.server().stats().connections() == 0);
      server.store().clear();
      Awaiting.until(() -> server.store().stats().usedBytes() == 0);
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aValueMayArriveCutAnywhere(Transport transport) throws Exception {
    try (RunningServer server = RunningServer.of(24 << 20, null, false, transport);
        RawClient client = new RawClient(server.port());
        RawClient other = new RawClient(server.port())) {
      Random random = new Random(5);
      for (int size : new int[] {5_000, 65_535, 65_536, 131_072, 200_000}) {
        String value = "v".repeat(size - 1) + (char) ('a' + random.nextInt(26));
        byte[] set = RawClient.command("SET", "k", value);
        byte[] both = new byte[set.length + 14];
        System.arraycopy(set, 0, both, 0, set.length);
        System.arraycopy(RawClient.command("PING"), 0, both, set.length, 14);
        for (int cut : cuts(set.length, size, random)) {
          client.send(Arrays.copyOf(both, cut));
          // A call in between, so that the server most often reads the first part on its own.
          assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
          client.send(Arrays.copyOfRange(both, cut, both.length));
          assertThat(client.reply()).as(size + " cut at " + cut).isEqualTo("+OK\r\n");
          assertThat(client.reply()).as(size + " cut at " + cut).isEqualTo("+PONG\r\n");
          assertThat(client.call("GET", "k")).isEqualTo("$" + size + "\r\n" + value + "\r\n");
        }
      }
    }
  }

  private static List<Integer> cuts(int command, int size, Random random) {
    List<Integer> cuts = new ArrayList<>();
    for (int behind = -6; behind <= 8; behind++) {
      cuts.add(command + behind);
    }
    for (int i = 0; i < 6; i++) {
      cuts.add(command - random.nextInt(size) - 1);
    }
    cuts.add(command - size - 2);
    return cuts;
  }

  @Test
  void aStormOfWritesNeverFailsAndNeverTakesMoreThanThereIs() {
    try (RunningServer server = RunningServer.of(8 << 20)) {
      long capacity = server.store().stats().capacityBytes();
      BenchResult result =
          load(
              server,
              0,
              3,
              4_000,
              (phase, seconds, requests, bytes) ->
                  assertThat(server.store().stats().usedBytes()).isLessThanOrEqualTo(capacity));
      assertThat(result.errors()).isZero();
      assertThat(result.sets()).isGreaterThanOrEqualTo(4_000);
      assertThat(server.store().stats().evicted()).isPositive();
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void clientsThatReadNothingPileUpNoMemory(Transport transport) throws Exception {
    List<RawClient> slow = new ArrayList<>();
    try (RunningServer server = RunningServer.of(64 << 20, null, false, transport);
        RawClient other = new RawClient(server.port())) {
      other.call("SET", "k", "v".repeat(4 << 20));
      long before = Memory.directBytes();
      byte[] get = RawClient.command("GET", "k");
      byte[] gets = new byte[100 * get.length];
      for (int i = 0; i < 100; i++) {
        System.arraycopy(get, 0, gets, i * get.length, get.length);
      }
      for (int i = 0; i < 40; i++) {
        RawClient client = new RawClient(server.port());
        slow.add(client);
        client.send(gets);
      }
      Awaiting.until(() -> server.store().stats().hits() >= 40);
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(server.store().stats().hits()).isLessThan(400);
      assertThat(Memory.directBytes()).isLessThan(before + Memory.NOISE);
      assertThat(server.store().stats().usedBytes()).isLessThan(6 << 20);
      assertThat(slow.getFirst().reply().getBytes(StandardCharsets.ISO_8859_1))
          .hasSize((4 << 20) + 12);
    } finally {
      for (RawClient client : slow) {
        client.close();
      }
    }
  }
}
