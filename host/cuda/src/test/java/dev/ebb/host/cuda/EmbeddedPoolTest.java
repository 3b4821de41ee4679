package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The embedded engine over a card's memory. */
class EmbeddedPoolTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP16);
  private static final Namespace MODEL = Namespace.of("tiny");

  @TempDir private Path home;

  private Ebb start(String device) {
    Configs.plugins(home);
    return Ebb.start(
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                "ebb { pool { device = %s, size = 64 KiB }, eviction.policy = none }"
                    .formatted(device)));
  }

  @ParameterizedTest
  @CsvSource({
    "auto,'cuda:0,cuda:1'",
    "cuda,'cuda:0,cuda:1'",
    "all,'cuda:0,cuda:1,host'",
    "host,host"
  })
  void eachDeviceHasAPool(String device, String names) {
    TestDriver.reset(2, 64 << 20);
    try (Ebb ebb = start(device)) {
      assertThat(ebb.view().pools().stream().map(pool -> pool.device().name()))
          .containsExactlyElementsOf(List.of(names.split(",", -1)));
      assertThat(ebb.pool()).isSameAs(ebb.view().pools().getFirst());
    }
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.liveBytes(1)).isZero();
  }

  @Test
  void aSavedSequenceIsLoadedOntoTheCardAndSavedFromThere() throws IOException {
    TestDriver.reset(1, 64 << 20);
    int[] tokens = IntStream.range(0, 10).toArray();
    SequenceRequest request = SequenceRequest.of(MODEL, tokens);
    Path files = Files.createDirectory(home.resolve("files"));
    try (Ebb ebb = start("all");
        Sequence onHost = ebb.open(request.withDevice("host"))) {
      try (KvAccess access = onHost.access()) {
        for (int page = 0; page < access.pages(); page++) {
          for (int lane = 0; lane < 4; lane++) {
            access.keys(lane, page).fill((byte) (10 * page + lane));
            access.values(lane, page).fill((byte) (100 + 10 * page + lane));
          }
        }
      }
      onHost.save(files.resolve("host.seg"));
      Path file = files.resolve("host.seg");
      try (Sequence onCard = ebb.load(request.withDevice("cuda:0"), file)) {
        assertThat(onCard.device()).isEqualTo("cuda:0");
        onCard.save(files.resolve("card.seg"));
      }
      assertThat(files.resolve("card.seg")).hasSameBinaryContentAs(file);
    }
  }

  @Test
  void blocksHaveAddressesAndAreSharedAndCopiedOnTheCard() {
    TestDriver.reset(1, 64 << 20);
    try (Ebb ebb = start("cuda")) {
      ebb.open(SequenceRequest.of(MODEL, 1, 2, 3, 4)).finish();
      Sequence parent = ebb.open(SequenceRequest.of(MODEL, 1, 2, 3, 4, 5));
      assertThat(parent.matchedTokens()).isEqualTo(4);
      Sequence child = parent.fork();
      child.append(6);
      try (KvAccess ours = parent.access();
          KvAccess theirs = child.access()) {
        assertThat(theirs.keyAddress(3, 0)).isEqualTo(ours.keyAddress(3, 0));
        assertThat(theirs.keyAddress(3, 1)).isNotEqualTo(ours.keyAddress(3, 1));
        assertThat(ours.valueAddress(0, 1) - ours.keyAddress(0, 1))
            .isEqualTo((long) LAYOUT.blockTokens() * LAYOUT.rowBytes());
        assertThatThrownBy(() -> ours.keys(0, 0))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessage("blocks on 'cuda:0' have no segments; use keyAddress and valueAddress");
      }
      assertThat(ebb.pool().report().traffic().copiedBlocks()).isOne();
    }
  }
}
