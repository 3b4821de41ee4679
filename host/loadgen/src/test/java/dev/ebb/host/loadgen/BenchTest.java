package dev.ebb.host.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

class BenchTest {

  private static final Bench.Progress SILENT = (phase, seconds, requests, bytes) -> {};
  private static final int KEYS = 40;

  private static BenchLoad load(
      double gets, boolean refill, int fill, int pipeline, long requests) {
    return new BenchLoad(
        gets, refill, true, fill, 5, pipeline, Duration.ZERO, Duration.ofMinutes(5), requests, 3);
  }

  private static BenchTarget target(RunningServer server, @Nullable String password) {
    return new BenchTarget(
        "127.0.0.1", server.port(), password, ProcessHandle.current().pid(), null);
  }

  private static KeySequence keys(int keys, double skew) {
    return new KeySequence(() ->
        new SyntheticTrace(
            SyntheticTrace.Shape.ZIPF,
            new SyntheticOptions().requests(1_000).objects(keys).skew(skew)));
  }

  private static BenchResult run(RunningServer server, BenchLoad load, String sizes) {
    try (KeySequence keys = keys(KEYS, 0.5)) {
      return Bench.run(target(server, null), load, ValueSizes.parse(sizes), keys, SILENT);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0 B, 1, 1000",
    "5 B, 1, 1000",
    "100 B, 20, 1000",
    "16 KiB, 3, 1000",
    "16385 B, 3, 1000",
    "70000 B, 1, 1000",
    "2500000 B, 4, 200",
  })
  void whatWasWrittenIsRead(String size, int pipeline, long requests) {
    try (RunningServer server = RunningServer.of(128 << 20)) {
      BenchResult result = run(server, load(0.5, false, KEYS, pipeline, requests), size);
      assertThat(result.good()).isTrue();
      assertThat(result.requests()).isBetween(requests, requests + 5L * pipeline);
      assertThat(result.gets() + result.sets()).isEqualTo(result.requests());
      assertThat(result.gets()).isBetween(3 * requests / 10, 7 * requests / 10);
      assertThat(result.hitRatio()).isEqualTo(1);
      assertThat(result.bytes()).isEqualTo(result.requests() * ValueSizes.parse(size).of(0));
      assertThat(result.latencies().getTotalCount()).isEqualTo(result.requests());
    }
  }

  @Test
  void aSmallPoolIsFilledAgainAndAgainAndNeverAnswersWrongly() {
    try (RunningServer server = RunningServer.of(8 << 20)) {
      BenchResult result = run(server, load(1, true, 0, 2, 1_500), "100 B:1,60 KiB:1,1 MiB:1");
      assertThat(result.good()).isTrue();
      assertThat(result.hitRatio()).isBetween(0.05, 0.95);
      assertThat(result.sets()).isPositive();
      assertThat(server.store().stats().evicted()).isPositive();
    }
  }

  @Test
  void aWrongValueIsFound() {
    try (RunningServer server = RunningServer.of(64 << 20);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      assertThat(run(server, load(0, false, KEYS, 1, 1), "3 KiB").good()).isTrue();
      byte[] key = "bench:0000000000000007".getBytes(StandardCharsets.UTF_8);
      byte[] value = jedis.get(key);
      value[2_000] ^= 1;
      jedis.set(key, value);
      BenchResult result = run(server, load(1, false, 0, 1, 2_000), "3 KiB");
      assertThat(result.wrong()).isPositive();
      assertThat(result.firstWrong()).isEqualTo("bench:0000000000000007");
      assertThat(result.good()).isFalse();
      assertThat(result.compared()).isEqualTo(result.hits());
    }
  }

  @Test
  void valuesOfAnotherRunAreNotWrong() {
    try (RunningServer server = RunningServer.of(64 << 20)) {
      run(server, load(0, false, KEYS, 1, 1), "3 KiB");

      BenchResult read = run(server, load(1, false, 0, 1, 2_000), "2 KiB");
      BenchResult rewritten = run(server, load(0.5, false, 0, 1, 5_000), "2 KiB");

      assertThat(read.good()).isTrue();
      assertThat(read.foreign()).isGreaterThanOrEqualTo(2_000);
      assertThat(read.compared()).isZero();
      assertThat(BenchText.write(read)).contains("0 values compared", "of another run");
      assertThat(rewritten.good()).isTrue();
      assertThat(rewritten.compared()).isPositive();
    }
  }

  @Test
  void whatReplacesAValueOfThisRunIsWrong() throws Exception {
    byte[] key = "bench:0000000000000007".getBytes(StandardCharsets.UTF_8);
    AtomicBoolean over = new AtomicBoolean();
    try (RunningServer server = RunningServer.of(64 << 20);
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Future<?> replacing =
          thread.submit(() -> {
            try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
              while (!over.get()) {
                jedis.set(key, new byte[] {1});
                LockSupport.parkNanos(100_000);
              }
            }
          });
      BenchResult result = run(server, load(1, false, KEYS, 1, 5_000), "3 KiB");
      over.set(true);
      replacing.get();

      assertThat(result.firstWrong()).isEqualTo("bench:0000000000000007");
      assertThat(result.foreign()).isZero();
    }
  }

  @Test
  void anErrorReplyIsCountedAndShown() {
    try (RunningServer server = RunningServer.of(1 << 20, null, true)) {
      BenchResult result = run(server, load(0, false, 0, 1, 10), "2 MiB");
      assertThat(result.errors()).isGreaterThanOrEqualTo(10);
      assertThat(result.firstError()).startsWith("OOM ");
      assertThat(BenchText.write(result)).contains("the first: OOM ");
    }
  }

  @Test
  void aTracesBlocksAreTheKeys(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("t.jsonl"),
            """
            {"timestamp": 0, "input_length": 1024, "output_length": 1, "hash_ids": [1, 2]}
            {"timestamp": 1, "input_length": 512, "output_length": 1, "hash_ids": [1]}
            """);
    try (RunningServer server = RunningServer.of(64 << 20);
        KeySequence keys = new KeySequence(() -> TraceReader.open(file, OnError.STOP))) {
      BenchLoad load = load(1, true, 0, 1, 600);
      BenchResult result =
          Bench.run(target(server, null), load, ValueSizes.parse("1 KiB"), keys, SILENT);
      assertThat(result.good()).isTrue();
      assertThat(server.store().stats().keys()).isEqualTo(2);
      assertThat(server.store().length("bench:0000000000000002".getBytes(StandardCharsets.UTF_8)))
          .isEqualTo(1024);
    }
  }

  @Test
  void aUserLogsIn() {
    try (RunningServer server = RunningServer.ofUser(1 << 20, "ann", "s\u00e9cret");
        KeySequence keys = keys(KEYS, 0)) {
      BenchLoad load = load(0.5, false, 0, 1, 10);
      ValueSizes sizes = ValueSizes.parse("10 B");
      BenchTarget ann = new BenchTarget("127.0.0.1", server.port(), "ann", "s\u00e9cret", 0, null);
      BenchTarget other =
          new BenchTarget("127.0.0.1", server.port(), "ben", "s\u00e9cret", 0, null);
      assertThat(Bench.run(ann, load, sizes, keys, SILENT).good()).isTrue();
      assertThatThrownBy(() -> Bench.run(other, load, sizes, keys, SILENT))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("WRONGPASS")
          .hasMessageContaining("the user and the password");
    }
  }

  @Test
  void thePasswordIsGivenAndAskedFor() {
    try (RunningServer server = RunningServer.of(1 << 20, "secret", false);
        KeySequence keys = keys(KEYS, 0)) {
      BenchLoad load = load(0.5, false, 0, 1, 10);
      ValueSizes sizes = ValueSizes.parse("10 B");
      assertThat(Bench.run(target(server, "secret"), load, sizes, keys, SILENT).good()).isTrue();
      assertThatThrownBy(() -> Bench.run(target(server, null), load, sizes, keys, SILENT))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("NOAUTH")
          .hasMessageContaining("--password");
      assertThatThrownBy(() -> Bench.run(target(server, "x"), load, sizes, keys, SILENT))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("WRONGPASS");
    }
  }

  @Test
  void sizesFollowTheirWeights() {
    ValueSizes sizes = ValueSizes.parse("1 KiB:3, 2 KiB:1");
    Values values = new Values(sizes, 1);
    int small = 0;
    for (int id = 0; id < 10_000; id++) {
      small += values.size(id) == 1024 ? 1 : 0;
    }
    assertThat(small).isBetween(7_300, 7_700);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"x", "1", "1 KiB:0", "1 KiB:x", "1 KiB,", "1 GiB"})
  void aWrongSizeIsRefused(String text) {
    assertThatThrownBy(() -> ValueSizes.parse(text))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("512 MiB");
  }
}
