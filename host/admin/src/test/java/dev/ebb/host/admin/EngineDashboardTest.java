package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.Namespace;
import dev.ebb.host.engine.SequenceRequest;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.NarrowPage;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.Tab;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of an engine's operators, in a real browser. */
class EngineDashboardTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP16);
  private static final int BLOCKS = 64;

  @TempDir private Path home;

  private Ebb start() {
    PluginJarBuilder.plugin("acme")
        .policy("lru")
        .policy("second")
        .writeTo(Configs.plugins(home), "acme.jar");
    return Ebb.start(
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                """
                ebb {
                  pool { device = host, size = %d B }
                  eviction { policy = lru, threshold = 1, target = 1 }
                  admin { enabled = true, port = 0 }
                }
                """
                    .formatted(BLOCKS * LAYOUT.blockBytes())));
  }

  @Test
  void showsSequencesAndTheirMemoryAndNothingOfClients() throws IOException, InterruptedException {
    try (Ebb ebb = start();
        Tab tab = Tab.open(home.resolve("browser"))) {
      for (int i = 0; i < BLOCKS; i++) {
        ebb.open(SequenceRequest.of(Namespace.of("tiny"), i, i, i, i)).finish();
      }
      ebb.open(SequenceRequest.of(Namespace.of("tiny"), 9, 9, 9, 9, 10));
      tab.go("http://127.0.0.1:%d/".formatted(requireNonNull(ebb.adminAddress()).getPort()));

      tab.until("course.length > 1 && poolParts.length === 1");
      tab.until("document.querySelectorAll('#sequences-body tbody tr').length === 1");
      assertThat(tab.text("#health")).isEqualTo("healthy");
      assertThat(tab.text("#lead")).contains("1 sequence is open");
      assertThat(tab.text("#pool-parts")).contains("host", "0 blocks free");
      assertThat(tab.text("#pool-legend"))
          .contains("cached prefix, evictable", "owned by one sequence");
      assertThat(tab.text("#log-body")).contains("lru", "evicted, demand");
      assertThat(tab.text("main")).doesNotContain("NaN", "undefined", "null", "Look up");

      tab.until("document.getElementById('policy-choice').value === 'second'");
      tab.value("document.querySelector('#policy-form button').click()");
      tab.until("document.getElementById('dialog').open");
      tab.value("document.querySelector('#dialog .main').click()");
      tab.until("document.getElementById('policy-name').textContent === 'second'");
      assertThat(ebb.pool().report().policy()).isEqualTo("second");
      tab.until("policyChanges().length === 1");

      tab.size(390, 844);
      tab.go("http://127.0.0.1:%d/".formatted(requireNonNull(ebb.adminAddress()).getPort()));
      tab.until("course.length > 1 && poolParts.length === 1");
      tab.until("document.querySelectorAll('#sequences-body tbody tr').length === 1");
      assertThat(NarrowPage.cutOff(tab, 390)).isEmpty();

      assertThat(tab.complaints()).isEmpty();
      assertThat(tab.text("#problem")).isEmpty();
    }
  }
}
