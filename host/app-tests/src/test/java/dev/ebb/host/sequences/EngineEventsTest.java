package dev.ebb.host.sequences;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.pool.CachedBlock;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.sequences.EventIndex.Block;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index that a router keeps from KV events has what an engine in one process has. */
class EngineEventsTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 1, 4, DType.FP32);
  private static final int BLOCKS = 32;

  @Test
  void anIndexFromEventsHasTheBlocksOfAnEngine(@TempDir Path home) {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
    int replayPort = FreePort.any();
    EbbOptions options =
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                """
                ebb.pool { device = host, size = %d B }
                ebb.eviction { policy = lru, threshold = 1, target = 1 }
                ebb.server.kv-events {
                  enabled = true, endpoint = "tcp://127.0.0.1:*"
                  replay-endpoint = "tcp://127.0.0.1:%d", buffer-steps = 100000
                }
                ebb.tiers.disk { path = "%s/tier", size = 8 MiB, region-size = 1 MiB }
                """
                    .formatted(BLOCKS * LAYOUT.blockBytes(), replayPort, home));
    try (EventIndex index = new EventIndex(replayPort);
        Ebb ebb = Ebb.start(options)) {
      Random random = new Random(5);
      for (int i = 0; i < 100; i++) {
        int[] tokens = random.ints(random.nextInt(1, 60), 0, 3).toArray();
        try (Sequence sequence = ebb.open(request(tokens))) {
          sequence.finish();
        }
      }
      Awaiting.until(() -> read(index, "CPU").equals(cached(ebb)));
      assertThat(read(index, "CPU")).isNotEmpty();
      assertThat(index.blocks("CPU").values())
          .allMatch(block -> block.size() == 4 && block.salt().equals("s"));
      // What was evicted can be read from the disk.
      Awaiting.until(() -> read(index, "DISK").size() > BLOCKS);
      Map<Long, Block> disk = index.blocks("DISK");
      int found = 0;
      for (Block each : List.copyOf(disk.values())) {
        if (EventIndex.isWhole(disk, each)) {
          List<Object> prefix = EventIndex.prefix(disk, each);
          int[] tokens = prefix.stream().skip(1).mapToInt(Integer.class::cast).toArray();
          try (Sequence sequence = ebb.open(request(tokens))) {
            assertThat(sequence.matchedTokens()).isEqualTo(tokens.length);
            found += sequence.diskTokens();
          }
        }
      }
      assertThat(found).isPositive();
    }
  }

  private static SequenceRequest request(int... tokens) {
    return SequenceRequest.of(Namespace.of("m").withSalt("s"), tokens);
  }

  private static Set<Long> read(EventIndex index, String medium) {
    try {
      index.read();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return index.blocks(medium).keySet();
  }

  private static Set<Long> cached(Ebb ebb) {
    return ebb.view().blocks().all().stream()
        .map(CachedBlock::key)
        .map(key -> Long.parseUnsignedLong(key.substring(0, 16), 16))
        .collect(toSet());
  }
}
