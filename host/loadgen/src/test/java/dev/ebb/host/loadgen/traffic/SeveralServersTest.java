package dev.ebb.host.loadgen.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ValueSizes;
import dev.ebb.host.loadgen.traffic.TraceTrafficOptions.Tiling;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A trace that is sent to several servers. */
class SeveralServersTest {

  /** Two conversations of three turns, in turns; each turn has one chunk more. */
  private static TraceReader conversations() {
    String text =
        IntStream.range(0, 6)
            .mapToObj(i -> {
              int first = i % 2 * 100;
              return "{\"timestamp\": %d, \"input_length\": 16, \"output_length\": 1, \"hash_ids\": %s}"
                  .formatted(i, IntStream.rangeClosed(first, first + i / 2).boxed().toList());
            })
            .collect(Collectors.joining("\n"));
    return TraceReader.of(
        "test", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), OnError.STOP);
  }

  private static TraceTrafficResult send(
      TraceTrafficOptions.Routing routing,
      double speed,
      TraceTraffic.Progress progress,
      RunningServer... servers) {
    List<BenchTarget> targets =
        Stream.of(servers)
            .map(server -> new BenchTarget("127.0.0.1", server.port(), null, 0, null))
            .toList();
    TraceTrafficOptions options =
        new TraceTrafficOptions(
            TraceTrafficOptions.Shape.LMCACHE_REDIS,
            new Tiling(8, 0, 1, false),
            ValueSizes.parse("1 KiB"),
            1,
            1,
            Long.MAX_VALUE,
            7,
            speed,
            true,
            routing);
    try (TraceReader trace = conversations()) {
      return TraceTraffic.run(targets, trace, options, progress);
    }
  }

  @Test
  void roundRobinSendsRequestsInTurn() {
    try (RunningServer first = RunningServer.of(16 << 20);
        RunningServer second = RunningServer.of(16 << 20);
        RunningServer third = RunningServer.of(16 << 20)) {
      TraceTrafficResult result =
          send(
              TraceTrafficOptions.Routing.ROUND_ROBIN,
              Double.POSITIVE_INFINITY,
              (n, f) -> {},
              first,
              second,
              third);

      assertThat(result.good()).isTrue();
      assertThat(result.servers()).extracting(ServerTraffic::requests).containsExactly(2L, 2L, 2L);
      assertThat(result.servers()).extracting(ServerTraffic::chunks).containsExactly(3L, 4L, 5L);
      // Each server has one request of each conversation.
      assertThat(result.hits()).isZero();
      assertThat(result.distinct()).isEqualTo(6);
      assertThat(result.resident()).isEqualTo(6);
      assertThat(result.unreachable()).isZero();
      assertThat(result.server()).contains(":" + first.port() + ",", ":" + third.port());
    }
  }

  @Test
  void aHashKeepsAConversationOnOneServer() {
    try (RunningServer first = RunningServer.of(16 << 20);
        RunningServer second = RunningServer.of(16 << 20)) {
      TraceTrafficResult result =
          send(
              TraceTrafficOptions.Routing.HASH,
              Double.POSITIVE_INFINITY,
              (n, f) -> {},
              first,
              second);

      assertThat(result.hits()).isEqualTo(2 * (1 + 2));
      assertThat(result.servers()).extracting(ServerTraffic::requests).allMatch(n -> n % 3 == 0);
      // No node of a cluster, but an Ebb.
      assertThat(result.remote()).isEqualTo(new ServerTraffic.Remote(0, 0, 0, 0));
    }
  }

  @Test
  void affinityNeedsACluster() {
    try (RunningServer first = RunningServer.of(16 << 20);
        RunningServer second = RunningServer.of(16 << 20)) {
      assertThatThrownBy(() ->
              send(
                  TraceTrafficOptions.Routing.AFFINITY,
                  Double.POSITIVE_INFINITY,
                  (n, f) -> {},
                  first,
                  second))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll("--route affinity", "ebb.cluster.enabled", "round-robin");
    }
  }

  @Test
  void aServerThatStopsIsNamed() {
    RunningServer second = RunningServer.of(16 << 20);
    try (RunningServer first = RunningServer.of(16 << 20)) {
      // The requests are 1 ms apart, and half a second here.
      assertThatThrownBy(() ->
              send(
                  TraceTrafficOptions.Routing.ROUND_ROBIN,
                  0.002,
                  (n, f) -> {
                    if (n > 0) {
                      second.close();
                    }
                  },
                  first,
                  second))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'127.0.0.1:" + second.port() + "'");
    }
  }
}
