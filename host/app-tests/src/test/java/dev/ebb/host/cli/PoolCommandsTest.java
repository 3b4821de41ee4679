package dev.ebb.host.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ebb pool} against an engine, and against a process that serves clients. */
class PoolCommandsTest {

  private static final KvLayout LAYOUT = new KvLayout(1, 1, 8, 4, DType.FP16);
  private static final Namespace MODEL = Namespace.of("tiny");

  @TempDir private Path home;

  /** An engine on two devices, 16 blocks each. */
  private Ebb engine(HostDevice host) {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
    return Ebb.start(
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                """
                ebb {
                  pool.size = %d B
                  eviction { policy = lru, threshold = 1, target = 1 }
                  admin { enabled = true, port = 0 }
                }
                """
                    .formatted(16 * LAYOUT.blockBytes())),
        new FailingDevice("cuda:0", host),
        host);
  }

  private static Run run(Ebb ebb, String... arguments) {
    String url = "http://127.0.0.1:" + requireNonNull(ebb.adminAddress()).getPort();
    return Run.of(
        Stream.concat(
                Stream.of("pool"), Stream.concat(Arrays.stream(arguments), Stream.of("--url", url)))
            .toArray(String[]::new));
  }

  private static Sequence open(Ebb ebb, int... tokens) {
    return ebb.open(SequenceRequest.of(MODEL, tokens).withDevice("cuda:0").withTenant("acme"));
  }

  @Test
  void anEnginesPoolsAreShown() {
    try (HostDevice host = new HostDevice();
        Ebb ebb = engine(host)) {
      open(ebb, 1, 1, 1, 1).finish();
      open(ebb, 1, 1, 1, 1, 2);

      Run stats = run(ebb, "stats");
      assertThat(stats.err()).isEmpty();
      assertThat(stats.out())
          .startsWith("pool           cuda:0, 16 blocks of 128 B, 2 KiB\n")
          .contains("in use         2 blocks, 12.5 %\n")
          .contains("hit tokens     4 of 9\n", "migrations     0; 0 B, 0 cancelled\n")
          .containsPattern("allocations    \\d+, mean .+, p99 .+, longest .+\n")
          .containsPattern("(?m)^ +2 +1 +5 +1 +1 +0  no +acme$")
          .contains("\n\npool           host, 16 blocks");

      Run map = run(ebb, "map", "--width", "8", "--device", "cuda:0");
      List<String> lines = map.out().lines().toList();
      assertThat(lines.getFirst()).isEqualTo("cuda:0, 16 blocks");
      assertThat(lines.subList(lines.size() - 2, lines.size()))
          .allMatch(line -> line.length() == 8)
          .anyMatch(line -> line.contains("s"));
      assertThat(map.out()).contains("s shared 1").doesNotContain("\033");
      assertThat(run(ebb, "map", "--width", "4", "--rows", "1", "--device", "host").out())
          .contains("host, 16 blocks, 4 to a character")
          .endsWith("....\n");
      assertThat(run(ebb, "map", "--device", "tpu"))
          .extracting(Run::exitCode, Run::err)
          .containsExactly(1, "ebb: there is no device 'tpu'; this Ebb has [cuda:0, host]\n");
      assertThat(run(ebb, "map", "--width", "0").exitCode()).isEqualTo(2);
      assertThat(
              Run.of(
                      "stats",
                      "--url",
                      "http://127.0.0.1:" + requireNonNull(ebb.adminAddress()).getPort())
                  .out())
          .contains("sequences    1 open, 2 opened\n", "hit tokens   44.4 %\n");
    }
  }

  @Test
  void anEnginesBlocksAreMoved() {
    try (HostDevice host = new HostDevice();
        Ebb ebb = engine(host)) {
      Sequence sequence = open(ebb, 1, 2, 3, 4, 5);

      Run defrag = run(ebb, "defrag", "--device", "host");
      assertThat(defrag.out()).startsWith("host: moved 0 blocks, 0 B, in ");
      assertThat(run(ebb, "migration-status").out()).isEqualTo("no migration has been started\n");

      Run migrate =
          run(ebb, "migrate", "--sequence", String.valueOf(sequence.id()), "--to", "host");
      assertThat(migrate.err()).isEmpty();
      assertThat(migrate.out())
          .startsWith("migration 1 has started: 2 blocks from cuda:0 to host; ");
      Awaiting.until(() -> !run(ebb, "migration-status", "1").out().contains(" copying "));
      assertThat(run(ebb, "migration-status", "1").out())
          .containsPattern("(?m)^ 1 +1  cuda:0  host  complete  2 of 2 ");
      assertThat(sequence.device()).isEqualTo("host");
      assertThat(run(ebb, "stats").out())
          .containsPattern("migrations     1, mean .+; 256 B, 0 cancelled\n");

      assertThat(run(ebb, "migration-status", "9")).extracting(Run::exitCode).isEqualTo(1);
      assertThat(run(ebb, "migrate", "--blocks", "5", "--to", "host").err()).contains("--from");
      assertThat(run(ebb, "migrate", "--blocks", "5-x", "--from", "host", "--to", "cuda:0"))
          .extracting(Run::exitCode)
          .isEqualTo(2);
      assertThat(run(ebb, "migrate", "--blocks", "99", "--from", "host", "--to", "cuda:0").err())
          .isEqualTo("ebb: block '99' must be 0 to 15, as 'host' has 16 blocks\n");
    }
  }

  @Test
  void whatHoldsClientsValuesIsShownAndSaysWhatDoesNotApply() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      ebb.put("large", 200 << 10);
      ebb.put("small", 10);

      Run stats = ebb.run("pool", "stats");
      assertThat(stats.out())
          .startsWith("pool           host, default, 32 blocks of 64 KiB, 2 MiB\n")
          .contains("policy         first\n", "small ones share 1 block\n")
          .containsPattern("allocations    2, mean .+, p99 .+, longest .+\n");
      Run map = ebb.run("pool", "map");
      assertThat(map.out()).contains("v value 4", "s small 1", ". free 27");
      assertThat(map.out().lines().toList().getLast()).hasSize(32).contains("vvvv");

      Run defrag = ebb.run("pool", "defrag");
      assertThat(defrag.exitCode()).isEqualTo(1);
      assertThat(defrag.err()).startsWith("ebb: a pool of clients' values needs no compaction");
      Run migrate = ebb.run("pool", "migrate", "--sequence", "1", "--to", "host");
      assertThat(migrate.exitCode()).isEqualTo(1);
      assertThat(migrate.err()).startsWith("ebb: clients' values are on one device");
      assertThat(ebb.run("pool", "migration-status").out())
          .isEqualTo("no migration has been started\n");
    }
  }
}
