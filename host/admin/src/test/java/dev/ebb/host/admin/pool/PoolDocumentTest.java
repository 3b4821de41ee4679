package dev.ebb.host.admin.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.http.Json;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class PoolDocumentTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final KvLayout LAYOUT = new KvLayout(2, 2, 3, 4, DType.FP32);
  private static final int BLOCKS = 16;

  @TempDir private Path home;

  private EbbOptions options() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
    return EbbOptions.of(LAYOUT, home)
        .withSettings("ebb.pool.size = %d B".formatted(BLOCKS * LAYOUT.blockBytes()));
  }

  @Test
  void aPoolHasItsNumbersAndSequences() {
    try (Ebb ebb = Ebb.bare(LAYOUT, (long) BLOCKS * LAYOUT.blockBytes())) {
      ebb.open(SequenceRequest.of(MODEL, 1, 1, 1, 1, 2, 2, 2, 2)).finish();
      ebb.open(
          SequenceRequest.of(MODEL, 1, 1, 1, 1, 3)
              .withTenant("acme")
              .withWorkload("chat")
              .withMaxLength(12)
              .reserving(Placement.SCATTERED));
      Sequence parent = ebb.open(SequenceRequest.of(MODEL, 5, 5, 5, 5, 6).withPriority(2));
      parent.fork().append(7);

      JsonNode stats = JSON.readTree(Json.text(PoolDocument.of(ebb.pool(), null)));
      assertThat(stats.get("blocks").intValue()).isEqualTo(16);
      assertThat(stats.get("cachedBlocks").intValue()).isEqualTo(2);
      assertThat(stats.get("traffic").get("matchedTokens").intValue()).isEqualTo(4);
      assertThat(stats.get("reclaim").get("refusals").intValue()).isZero();
      assertThat(stats.get("sequences").size()).isEqualTo(3);
      assertThat(stats.get("sequences").get(0).get("tenant").stringValue()).isEqualTo("acme");
      assertThat(stats.get("sequences").get(1).get("tenant").isNull()).isTrue();
    }
  }

  @Test
  void aMoveSaysHowFarItIs() {
    try (HostDevice host = new HostDevice();
        Ebb ebb = Ebb.start(options(), new FailingDevice("cuda:0", host), host)) {
      Sequence sequence = ebb.open(SequenceRequest.of(MODEL, 1, 2, 3).withDevice("cuda:0"));
      SequenceMigration migration = ebb.view().migrate(sequence.id(), "host", true);

      assertThat(Json.text(PoolDocument.of(ebb.view().pool("cuda:0"), null)))
          .contains("\"migrating\":true");
      assertThat(Json.text(ebb.view().migrations().stream().map(MigrationDocument::of).toList()))
          .isEqualTo(
              "[{\"id\":1,\"sequence\":1,\"from\":\"cuda:0\",\"to\":\"host\",\"state\":\"copying\",\"reason\":null,"
                  + "\"blocks\":1,\"blocksCopied\":0,\"bytesCopied\":0,\"bytesPerSecond\":0}]");
      migration.run(Long.MAX_VALUE);
    }
  }
}
