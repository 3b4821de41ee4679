package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.tier.RemoteTierStats;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ScanParams;

/** Engines that share prefixes through a real server. Each element follows from the tokens. */
class SharedPrefixesTest {

  /** A block of both lane groups has 4 tokens. */
  private static final KvLayout LAYOUT = new KvLayout(2, 2, 16, 4, DType.FP32, 2);

  private static final int PAGE_BYTES = LAYOUT.blockBytes() * LAYOUT.laneGroups();

  @TempDir private Path home;

  @BeforeEach
  void makePlugin() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
  }

  private Ebb engine(int port, KvLayout layout, int pages) {
    return Ebb.start(
        EbbOptions.of(layout, home)
            .withSettings(
                """
                ebb.pool { device = host, size = %d B }
                ebb.eviction { policy = lru, threshold = 1, target = 1 }
                ebb.tiers.remote { server = "127.0.0.1:%d", timeout = 20 s }
                """
                    .formatted((long) pages * layout.blockBytes() * layout.laneGroups(), port)));
  }

  private static List<Integer> tokens(int first, int count) {
    return IntStream.range(first, first + count).boxed().toList();
  }

  /** Computes a prompt like an engine, and checks what had matched; returns how many tokens had. */
  private static int compute(Ebb ebb, String salt, List<Integer> tokens) {
    Namespace namespace = Namespace.of("tiny").withSalt(salt);
    Sequence sequence =
        ebb.open(SequenceRequest.of(namespace, tokens.stream().mapToInt(token -> token).toArray()));
    KvLayout layout = ebb.pool().layout();
    int matched = sequence.matchedTokens();
    KvBytes.check(layout, sequence, salt, tokens.subList(0, matched));
    KvBytes.write(layout, sequence, salt, tokens, matched);
    sequence.finish();
    return matched;
  }

  private static RemoteTierStats remote(Ebb ebb) {
    RemoteTierStats stats = ebb.stats().remote();
    assertThat(stats).isNotNull();
    return stats;
  }

  private static void awaitWritten(Ebb ebb, long pages) {
    Awaiting.until(() -> remote(ebb).written() == pages);
  }

  @Test
  void aPrefixComputedByOneEngineIsReadByAnother() {
    try (RunningServer server = RunningServer.of(4 << 20);
        Ebb first = engine(server.port(), LAYOUT, 64);
        Ebb second = engine(server.port(), LAYOUT, 64)) {
      assertThat(compute(first, "a", tokens(0, 18))).isZero();
      awaitWritten(first, 4);
      assertThat(compute(second, "a", tokens(0, 30))).isEqualTo(16);
      assertThat(second.stats().sum(device -> device.traffic().remoteTokens())).isEqualTo(16);
      assertThat(remote(second).readBytes()).isEqualTo(4L * PAGE_BYTES);
      // Only what the second has computed is written, and read by the first one.
      awaitWritten(second, 3);
      assertThat(compute(first, "a", tokens(0, 30))).isEqualTo(28);
      assertThat(compute(second, "other", tokens(0, 30))).isZero();
      assertThat(first.stats().sum(device -> device.traffic().remoteTokens())).isEqualTo(12);
    }
  }

  @Test
  void enginesOfAnotherLayoutShareNothing() {
    KvLayout other = new KvLayout(2, 2, 16, 4, DType.FP32, 1);
    try (RunningServer server = RunningServer.of(4 << 20);
        Ebb first = engine(server.port(), LAYOUT, 64);
        Ebb second = engine(server.port(), other, 64)) {
      compute(first, "a", tokens(0, 18));
      awaitWritten(first, 4);
      assertThat(compute(second, "a", tokens(0, 18))).isZero();
    }
  }

  @Test
  void randomPromptsOfTwoEnginesHaveTheirBytesWhateverTheServerEvicts() {
    Random random = new Random(7);
    List<List<Integer>> prompts = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      prompts.add(tokens(random.nextInt(3) * 1_000, 8 + random.nextInt(60)));
    }
    try (RunningServer server = RunningServer.of(128 << 10);
        Ebb first = engine(server.port(), LAYOUT, 20);
        Ebb second = engine(server.port(), LAYOUT, 20)) {
      for (int i = 0; i < 400; i++) {
        Ebb ebb = random.nextBoolean() ? first : second;
        compute(ebb, "s" + random.nextInt(2), prompts.get(random.nextInt(prompts.size())));
      }
      assertThat(remote(first).read() + remote(second).read()).isPositive();
      assertThat(remote(first).missed()).isPositive();
      assertThat(remote(first).failed()).isZero();
    }
  }

  @Test
  void aDamagedOrForeignValueIsComputedAgain() {
    try (RunningServer server = RunningServer.of(4 << 20);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000);
        Ebb first = engine(server.port(), LAYOUT, 64)) {
      compute(first, "a", tokens(0, 18));
      awaitWritten(first, 4);
      List<String> keys = jedis.scan("0", new ScanParams().match("tiny@*").count(100)).getResult();
      assertThat(keys).hasSize(4);
      for (byte[] wrong : List.of(new byte[PAGE_BYTES + Integer.BYTES], new byte[7])) {
        keys.forEach(key -> jedis.set(key.getBytes(StandardCharsets.US_ASCII), wrong));
        try (Ebb second = engine(server.port(), LAYOUT, 64)) {
          assertThat(compute(second, "a", tokens(0, 18))).isZero();
          assertThat(remote(second).outage()).isNotNull();
        }
      }
    }
  }

  @Test
  void aServerThatIsAwayCostsHitsOnly() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (Ebb ebb = engine(port, LAYOUT, 64)) {
      assertThat(compute(ebb, "a", tokens(0, 18))).isZero();
      assertThat(compute(ebb, "a", tokens(0, 18))).isEqualTo(16);
      assertThat(remote(ebb).outage()).isNotNull();
      assertThat(remote(ebb).failed()).isPositive();
    }
  }

  @Test
  void anUnknownHostIsRefused() {
    EbbOptions options =
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                """
                ebb.pool { device = host, size = 1 MiB }
                ebb.eviction.policy = lru
                ebb.tiers.remote.server = "no-such-host.invalid:6380"
                """);
    assertThatThrownBy(() -> Ebb.start(options).close())
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.remote.server", "no-such-host.invalid");
  }
}
