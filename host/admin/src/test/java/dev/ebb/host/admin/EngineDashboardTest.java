package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.Configs;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.NarrowPage;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.Tab;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The page of an engine's operators, in a real browser. */
class EngineDashboardTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP16);
  private static final int BLOCKS = 64;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @RegisterExtension static final Tab tab = new Tab();

  @TempDir private Path home;

  private Ebb start(String settings) {
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
                  %s
                }
                """
                    .formatted(BLOCKS * LAYOUT.blockBytes(), settings)));
  }

  @Test
  void showsSequencesAndTheirMemoryAndNothingOfClients() {
    try (Ebb ebb = start("")) {
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
      assertThat(tab.text("main")).doesNotContain("NaN", "undefined", "null", "Hits from the disk");
      tab.until(
          "document.getElementById('candidates-body').innerText.includes('no shadow policies')");
      tab.value("document.querySelector('#log-body button').click()");
      tab.until("document.getElementById('dialog').open");
      assertThat(tab.text("#dialog")).contains("not resident");
      tab.value("document.getElementById('dialog').close()");

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
      tab.go("about:blank?");
    }
  }

  @Test
  void showsTheDiskAndWhatHappenedBeforeThePageWasOpened() {
    String disk =
        "tiers.disk { path = \"%s\", size = 65 MiB, region-size = 1 MiB }"
            .formatted(home.resolve("disk"));
    Namespace model = Namespace.of("tiny");
    try (Ebb ebb = start(disk)) {
      for (int i = 0; i < BLOCKS; i++) {
        ebb.open(SequenceRequest.of(model, i, i, i, i, i)).finish();
      }
      var _ = ebb.view().blocks().evictTo(0);
      Awaiting.until(() -> requireNonNull(ebb.stats().disk()).disk().values() > 0);
      String address =
          "http://127.0.0.1:%d".formatted(requireNonNull(ebb.adminAddress()).getPort());
      AdminClient client = new AdminClient(ServerAddress.parse(address), TIMEOUT, null);
      Awaiting.until(() -> points(client).size() > 2);
      tab.go(address + "/");

      tab.until("course.length > 2");
      tab.until("document.querySelectorAll('#disk-body tbody tr').length === 2");
      assertThat(tab.text("#disk")).contains("disk", "in use", "of 64 MiB", "0 too late");
      assertThat(tab.text("#charts")).contains("Hits from the disk", "Disk reads", "Disk writes");
      for (int i = 0; i < BLOCKS; i++) {
        ebb.open(SequenceRequest.of(model, i, i, i, i, i)).finish();
      }
      assertThat(ebb.stats().sum(device -> device.traffic().diskTokens())).isPositive();
      tab.until("diskShareAt(course.length - 1, 'hits', REQUESTED) > 0");
      tab.until("document.getElementById('tiles').innerText.includes('of which disk')");

      // The page makes the same points of the statistics that it receives.
      JsonNode past = points(client).get(0);
      for (String field : past.propertyNames()) {
        assertThat(tab.value("'%s' in course.at(-1)".formatted(field)).booleanValue())
            .as(field)
            .isTrue();
      }
      assertThat(tab.text("main")).doesNotContain("NaN", "undefined", "null");
      assertThat(tab.complaints()).isEmpty();
      tab.go("about:blank?");
    }
  }

  private static JsonNode points(AdminClient client) {
    return client.get("/api/v1/history", JsonNode.class).document().path("points");
  }
}
