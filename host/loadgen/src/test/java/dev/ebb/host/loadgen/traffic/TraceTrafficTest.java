package dev.ebb.host.loadgen.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.RespClient;
import dev.ebb.host.loadgen.ValueSizes;
import dev.ebb.host.loadgen.Values;
import dev.ebb.host.loadgen.traffic.TraceTrafficOptions.Tiling;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

class TraceTrafficTest {

  /** Each line is a prompt: ids from its first to its last, where each follows the one before. */
  private static TraceReader trace(int[]... prompts) {
    String text =
        IntStream.range(0, prompts.length)
            .mapToObj(i ->
                "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": 1, \"hash_ids\": %s}"
                    .formatted(
                        i,
                        prompts[i].length * 16,
                        IntStream.of(prompts[i])
                            .mapToObj(Integer::toString)
                            .collect(Collectors.joining(",", "[", "]"))))
            .collect(Collectors.joining("\n"));
    return TraceReader.of(
        "test", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), OnError.STOP);
  }

  private static TraceTrafficResult send(
      RunningServer server, String size, int connections, TraceReader trace) {
    return send(server, trace, options(size, connections, Double.POSITIVE_INFINITY, false));
  }

  private static TraceTrafficOptions options(
      String size, int connections, double speed, boolean inOrder) {
    return new TraceTrafficOptions(
        TraceTrafficOptions.Shape.LMCACHE_REDIS,
        new Tiling(8, 0, 1, false),
        ValueSizes.parse(size),
        connections,
        1,
        Long.MAX_VALUE,
        7,
        speed,
        inOrder,
        TraceTrafficOptions.Routing.ROUND_ROBIN);
  }

  private static TraceTrafficResult send(
      RunningServer server, TraceReader trace, TraceTrafficOptions options) {
    BenchTarget target = new BenchTarget("127.0.0.1", server.port(), null, 0, null);
    try (trace) {
      return TraceTraffic.run(
          List.of(target),
          trace,
          options,
          (requests, fraction) -> assertThat(requests).isNotNegative());
    }
  }

  @Test
  void requestsArriveAsRecorded() {
    int[] prompt = {1};
    try (RunningServer server = RunningServer.of(64 << 20)) {
      TraceTrafficResult result =
          send(server, trace(prompt, prompt, prompt), options("1 KiB", 2, 0.01, true));

      // The third request arrives 2 ms after the first, 100 times slower here.
      assertThat(result.seconds()).isGreaterThanOrEqualTo(0.2);
      assertThat(result.hits()).isEqualTo(2);
    }
  }

  @Test
  void aSpeedMustBeAboveZero() {
    assertThatThrownBy(() -> options("1 KiB", 1, 0, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'0.0'");
  }

  @ParameterizedTest
  @CsvSource({"1 KiB, 1", "64 KiB, 3", "300 KiB, 1"})
  void everythingFitsAndEachPrefixIsReadOnceItWasStored(String size, int connections) {
    int[] prompt = IntStream.rangeClosed(1, 10).toArray();
    int[] longer = IntStream.rangeClosed(1, 14).toArray();
    try (RunningServer server = RunningServer.of(64 << 20)) {
      send(server, size, connections, trace(prompt));
      TraceTrafficResult result = send(server, size, connections, trace(prompt, prompt, longer));

      assertThat(result.good()).isTrue();
      assertThat(result.requests()).isEqualTo(3);
      assertThat(result.chunks()).isEqualTo(34);
      assertThat(result.hits()).isEqualTo(30);
      assertThat(result.lost()).isZero();
      assertThat(result.distinct()).isEqualTo(14);
      assertThat(result.resident()).isEqualTo(14);
      assertThat(result.unreachable()).isZero();
      assertThat(result.latencies().getTotalCount()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0, false", "3, 0, false", "8, 0, false", "8, 0, true", "8, 5, false"})
  void promptsInTilesAreReadOnceTheyWereStored(int workers, int localChunks, boolean scrambled) {
    int[] prompt = IntStream.rangeClosed(1, 10).toArray();
    int[] longer = IntStream.rangeClosed(1, 14).toArray();
    TraceTrafficOptions tiled =
        new TraceTrafficOptions(
            TraceTrafficOptions.Shape.LMCACHE_MP,
            new Tiling(workers, localChunks, 1, scrambled),
            ValueSizes.parse("64 KiB"),
            1,
            1,
            Long.MAX_VALUE,
            7,
            Double.POSITIVE_INFINITY,
            false,
            TraceTrafficOptions.Routing.ROUND_ROBIN);
    try (RunningServer server = RunningServer.of(64 << 20)) {
      TraceTrafficResult result = send(server, trace(prompt, prompt, longer, longer), tiled);

      assertThat(result.good()).isTrue();
      assertThat(result.chunks()).isEqualTo(48);
      assertThat(result.hits()).isEqualTo(10 + 10 + 14);
      assertThat(result.lost()).isZero();
      assertThat(result.resident()).isEqualTo(14);
      assertThat(result.unreachable()).isZero();
    }
  }

  @Test
  void anUnknownHostIsCalledSo() {
    BenchTarget nowhere = new BenchTarget("nowhere.invalid", 6380, null, 0, null);
    assertThatThrownBy(() -> new RespClient(nowhere))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'nowhere.invalid:6380': unknown host;");
  }

  @Test
  void aTilingHasWorkers() {
    assertThatThrownBy(() -> new Tiling(0, 0, 1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'0'");
    assertThatThrownBy(() -> new Tiling(8, 0, 2, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'2'");
  }

  @ParameterizedTest
  @CsvSource({"8, 4", "3, 2", "1, 8"})
  void anEngineWithSeveralPromptsInFlightReadsWhatItStored(int workers, int prompts) {
    int[][] many = new int[200][];
    for (int i = 0; i < many.length; i++) {
      int first = i % 20 * 100;
      many[i] = IntStream.range(first, first + 1 + i % 23).toArray();
    }
    TraceTrafficOptions tiled =
        new TraceTrafficOptions(
            TraceTrafficOptions.Shape.LMCACHE_MP,
            new Tiling(workers, 0, prompts, false),
            ValueSizes.parse("1 KiB"),
            1,
            1,
            Long.MAX_VALUE,
            7,
            Double.POSITIVE_INFINITY,
            false,
            TraceTrafficOptions.Routing.ROUND_ROBIN);
    try (RunningServer server = RunningServer.of(64 << 20)) {
      send(server, trace(many), tiled);
      TraceTrafficResult result = send(server, trace(many), tiled);

      assertThat(result.good()).isTrue();
      assertThat(result.requests()).isEqualTo(200);
      assertThat(result.hits()).isEqualTo(result.chunks());
      assertThat(result.lost()).isZero();
      assertThat(result.unreachable()).isZero();
    }
  }

  @Test
  void chunkCountsOnlyWithTheValuesOfAllRanks() {
    int[] prompt = {1, 2, 3, 4, 5};
    TraceTrafficOptions two =
        new TraceTrafficOptions(
            TraceTrafficOptions.Shape.LMCACHE_REDIS,
            new Tiling(8, 0, 1, false),
            ValueSizes.parse("1 KiB"),
            1,
            2,
            Long.MAX_VALUE,
            7,
            Double.POSITIVE_INFINITY,
            false,
            TraceTrafficOptions.Routing.ROUND_ROBIN);
    try (RunningServer server = RunningServer.of(16 << 20)) {
      TraceTrafficResult first = send(server, trace(prompt, prompt), two);
      assertThat(first.hits()).isEqualTo(5);
      assertThat(first.resident()).isEqualTo(5);
      assertThat(first.split()).isZero();
      try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
        String third = "trace@2@1@%016x@half".formatted(3);
        assertThat(jedis.del(third + "kv_bytes", third + "metadata")).isEqualTo(2);
      }
      TraceTrafficResult other = send(server, trace(new int[] {1, 2, 3, 9}), two);
      assertThat(other.hits()).isEqualTo(2);
      assertThat(other.split()).isZero();
      try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
        jedis.del("trace@2@0@%016x@halfkv_bytes".formatted(9));
      }
      TraceTrafficResult last = send(server, trace(new int[] {9, 8}), two);
      assertThat(last.hits()).isZero();
      assertThat(last.good()).isTrue();
    }
  }

  @Test
  void aHoleEndsThePrefixAndWhatFollowsIsUnreachable() {
    int[] prompt = {1, 2, 3, 4, 5};
    try (RunningServer server = RunningServer.of(16 << 20)) {
      send(server, "1 KiB", 1, trace(prompt));
      try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
        assertThat(jedis.del(key(3) + "kv_bytes", key(3) + "metadata")).isEqualTo(2);
        assertThat(jedis.strlen(key(4) + "kv_bytes")).isEqualTo(1024);
      }
      TraceTrafficResult result = send(server, "1 KiB", 1, trace(new int[] {1, 2, 9}, prompt));

      assertThat(result.hits()).isEqualTo(2 + 2);
      assertThat(result.resident()).isEqualTo(6);
      assertThat(result.unreachable()).isZero();
      try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
        jedis.del(key(2) + "kv_bytes", key(2) + "metadata");
      }
      TraceTrafficResult other = send(server, "1 KiB", 1, trace(new int[] {7}, new int[] {1}));
      assertThat(other.hitRatio()).isEqualTo(0.5);
      assertThat(other.resident()).isEqualTo(2);
    }
  }

  @Test
  void aSmallPoolLosesChunksAndNeverGivesWrongOnes() {
    int[][] prompts =
        LongStream.range(0, 60)
            .mapToObj(i -> IntStream.range(0, 20).map(k -> (int) (i % 12) * 100 + k).toArray())
            .toArray(int[][]::new);
    try (RunningServer server = RunningServer.of(4 << 20)) {
      TraceTrafficResult result = send(server, "60 KiB", 4, trace(prompts));

      assertThat(result.wrong()).isZero();
      assertThat(result.requests()).isEqualTo(60);
      assertThat(result.resident()).isBetween(30L, 70L);
      assertThat(result.unreachable()).isBetween(0L, result.resident());
    }
  }

  @Test
  void chunksBehindAnEvictedOneAreUnreachable() {
    int[] prompt = IntStream.range(0, 40).toArray();
    try (RunningServer server = RunningServer.of(1 << 20)) {
      TraceTrafficResult result = send(server, "60 KiB", 1, trace(prompt));

      assertThat(result.resident()).isBetween(5L, 20L);
      assertThat(result.unreachable()).isBetween(1L, result.resident());
      assertThat(result.unreachableShare()).isGreaterThan(0.1);
    }
  }

  @Test
  void aValueOfAnotherClientIsWrong() {
    try (RunningServer server = RunningServer.of(16 << 20)) {
      send(server, "1 KiB", 1, trace(new int[] {1, 2}));
      try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
        jedis.set(key(2) + "kv_bytes", "x".repeat(1024));
      }
      TraceTrafficResult result = send(server, "1 KiB", 1, trace(new int[] {1, 2, 3}));

      assertThat(result.good()).isFalse();
      assertThat(result.wrong()).isEqualTo(1);
      assertThat(result.hits()).isEqualTo(1);
    }
  }

  @Test
  void aServerThatStopsAnsweringEndsTheReplay() throws IOException {
    try (ServerSocket hanging = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        TraceReader trace = trace(new int[] {1, 2}, new int[] {1, 2})) {
      Thread.ofVirtual().start(() -> answerOnlyGreetings(hanging));
      BenchTarget target = new BenchTarget("127.0.0.1", hanging.getLocalPort(), null, 0, null);

      assertThatThrownBy(() ->
              TraceTraffic.run(
                  List.of(target),
                  trace,
                  options("1 KiB", 1, Double.POSITIVE_INFINITY, false),
                  (n, f) -> {},
                  Duration.ofMillis(200)))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll("'" + target + "'", "after 0 requests", "no reply for 200 ms");
    }
  }

  /** Answers PING and INFO on each connection, and nothing else. */
  private static void answerOnlyGreetings(ServerSocket server) {
    try {
      while (true) {
        Socket client = server.accept();
        Thread.ofVirtual()
            .start(() -> {
              try (client) {
                BufferedReader in =
                    new BufferedReader(
                        new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                  if (line.equals("PING") || line.equals("INFO")) {
                    byte[] reply =
                        (line.equals("PING") ? "+PONG\r\n" : "-ERR\r\n")
                            .getBytes(StandardCharsets.US_ASCII);
                    client.getOutputStream().write(reply);
                  }
                }
              } catch (IOException closed) {
                // The client has given up.
              }
            });
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  @ParameterizedTest
  @CsvSource({"1, false", "8, false", "1, true", "8, true"})
  void hybridPromptsReadWhatEachGroupNeeds(int workers, boolean chunkByChunk) {
    int[] prompt = IntStream.rangeClosed(1, 10).toArray();
    int[] longer = IntStream.rangeClosed(1, 14).toArray();
    int[] branch = {1, 2, 3, 4, 20, 21};
    SizedGroups groups = ObjectGroups.parseSized("test", "state:3,full:1,window=2:2");
    TraceTrafficOptions hybrid =
        new TraceTrafficOptions(
            TraceTrafficOptions.Shape.LMCACHE_MP,
            new Tiling(workers, 0, 1, false, groups, chunkByChunk),
            ValueSizes.parse("1 KiB"),
            1,
            1,
            Long.MAX_VALUE,
            7,
            Double.POSITIVE_INFINITY,
            false,
            TraceTrafficOptions.Routing.ROUND_ROBIN);
    try (RunningServer server = RunningServer.of(64 << 20);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      TraceTrafficResult result = send(server, trace(prompt, longer, branch), hybrid);

      assertThat(result.good()).isTrue();
      assertThat(result.lost()).isZero();
      assertThat(result.hits()).isEqualTo(10 + 4);
      assertThat(result.resident()).isEqualTo(16);
      assertThat(result.objects()).isEqualTo(new ResidentObjects.Count(48, (16 * 6) << 10, 0));
      assertThat(jedis.strlen(grouped(20, 0))).isEqualTo(3 << 10);
      assertThat(jedis.strlen(grouped(20, 1))).isEqualTo(1 << 10);
      // All reads of full attention, but one state and two windows for each prefix that was found.
      assertThat(jedis.info("stats")).contains("keyspace_hits:" + (10 + 4 + 2 + 4) + "\r\n");

      // Without the state at its end the prompt goes on from an earlier chunk.
      jedis.del(grouped(10, 0));
      jedis.del(grouped(9, 2));
      jedis.del(grouped(14, 1));
      assertThat(send(server, trace(IntStream.rangeClosed(1, 11).toArray()), hybrid).hits())
          .isEqualTo(11);
      assertThat(send(server, trace(prompt), hybrid).hits()).isEqualTo(8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"full,state", "state,full,window=3", "full,full", "window=2,full,state"})
  void objectsOfNoUseAreThoseThatNoNaivePromptNeeds(String kinds) throws IOException {
    ObjectGroups groups = ObjectGroups.parse("test", kinds);
    Random random = new Random(3);
    Values values = new Values(ValueSizes.parse("100 B"), 7);
    for (int round = 0; round < 20; round++) {
      Long2LongMap before = new Long2LongOpenHashMap();
      long[] ids = LongStream.rangeClosed(1, 40).toArray();
      for (long id : ids) {
        before.put(id, id == 1 || random.nextInt(9) == 0 ? id : 1 + random.nextLong(id - 1));
      }
      Set<List<Long>> present = new HashSet<>();
      try (RunningServer server = RunningServer.of(64 << 20)) {
        BenchTarget target = new BenchTarget("127.0.0.1", server.port(), null, 0, null);
        try (ChunkClient first =
            new ChunkClient(target, ChunkClient.Format.single(0, 1), values, values)) {
          List<ChunkClient> clients = new ArrayList<>(List.of(first));
          for (int group = 1; group < groups.size(); group++) {
            clients.add(first.of(ChunkClient.Format.ofGroup(0, 1, group), values));
          }
          for (long id : ids) {
            for (int group = 0; group < groups.size(); group++) {
              if (random.nextInt(6) > 0) {
                clients.get(group).set(id);
                assertThat(clients.get(group).stored()).isTrue();
                present.add(List.of(id, (long) group));
              }
            }
          }
          long useful = useful(groups, before, ids, present) * 100L;
          long all = present.size() * 100L;

          assertThat(new ResidentObjects(groups, before).count(clients, ids))
              .isEqualTo(new ResidentObjects.Count(present.size(), all, all - useful));
        }
      }
    }
  }

  private static int useful(
      ObjectGroups groups, Long2LongMap before, long[] ids, Set<List<Long>> present) {
    Set<List<Long>> useful = new HashSet<>();
    for (long end : ids) {
      List<Long> path = new ArrayList<>(List.of(end));
      for (long on = end; before.get(on) != on; on = before.get(on)) {
        path.addFirst(before.get(on));
      }
      Set<List<Long>> needed = new HashSet<>();
      for (long group = 0; group < groups.size(); group++) {
        int window = groups.isFull((int) group) ? path.size() : groups.window((int) group);
        for (Long id : path.subList(Math.max(0, path.size() - window), path.size())) {
          needed.add(List.of(id, group));
        }
      }
      if (present.containsAll(needed)) {
        useful.addAll(needed);
      }
    }
    return useful.size();
  }

  private static String grouped(int id, int group) {
    return "trace@01000100@%x@%016x".formatted(group, id);
  }

  @ParameterizedTest
  @CsvSource({"false, 2", "true, 0"})
  void aChunkInTheMemoryOfAnEngineMakesThoseAfterItReachable(boolean local, int unreachable)
      throws IOException {
    try (RunningServer server = RunningServer.of(64 << 20)) {
      BenchTarget target = new BenchTarget("127.0.0.1", server.port(), null, 0, null);
      Values values = new Values(ValueSizes.parse("1 KiB"), 7);
      try (ChunkClient client =
          new ChunkClient(target, ChunkClient.Format.single(0, 1), values, values)) {
        for (long id : new long[] {2, 3}) {
          client.set(id);
          assertThat(client.stored()).isTrue();
        }
        Long2LongMap before = new Long2LongOpenHashMap(new long[] {1, 2, 3}, new long[] {1, 1, 2});
        ResidentChunks chunks = new ResidentChunks(before, id -> local && id == 1);
        chunks.add(List.of(client), new long[] {1, 2, 3});

        assertThat(chunks.resident()).isEqualTo(2);
        assertThat(chunks.unreachable()).isEqualTo(unreachable);
      }
    }
  }

  @Test
  void aServerThatIsNotThereIsNamed() {
    BenchTarget nowhere = new BenchTarget("127.0.0.1", 1, null, 0, null);
    try (TraceReader trace = trace(new int[] {1})) {
      assertThatThrownBy(() ->
              TraceTraffic.run(
                  List.of(nowhere),
                  trace,
                  options("1 KiB", 1, Double.POSITIVE_INFINITY, false),
                  (n, f) -> {}))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'127.0.0.1:1'");
    }
  }

  private static String key(int id) {
    return "trace@1@0@%016x@half".formatted(id);
  }
}
