package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.MemoryCluster;
import dev.ebb.host.testing.Tab;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The part of the page for a cluster, in a real browser. */
class ClusterDashboardTest {

  private static final String LONG_NAME =
      "a-host-with-a-very-long-name.cluster.internal.example.com";

  @RegisterExtension static final Tab tab = new Tab();

  @TempDir private Path home;

  private static MemoryCluster cluster() {
    return new MemoryCluster("host-1", "zone-1", "rack-1")
        .node("host-2", "zone-1", "rack-2", 50)
        .node("host-3", "zone-2", "rack-3", 0)
        .node(LONG_NAME, "zone-2", "rack-3", 10)
        .put("one", 500_000, "host-1", "host-2")
        .put("two", 24_288, "host-1");
  }

  @Test
  void nodesAreDrawnByZoneAndRack() {
    MemoryCluster cluster = cluster();
    try (AdminProcess process = AdminProcess.start(home, "", cluster)) {
      for (int width : new int[] {1440, 390}) {
        tab.size(width, 900);
        tab.go("http://127.0.0.1:%d/".formatted(process.address().getPort()));
        tab.until("nodeParts.size === 4 && course.length > 1");
        tab.until("document.getElementById('cluster-caption').textContent !== ''");
        assertThat(tab.text("#cluster-title")).isEqualTo("Cluster test");
        assertThat(tab.text("#cluster-caption"))
            .contains("2 values on 4 nodes", "lag 1.5 s", "1 value under-replicated");
        assertThat(tab.text("#cluster-zones"))
            .contains("Zone zone-1", "Rack rack-3", "host-1:6380, this node", LONG_NAME)
            .contains("512 KiB of 1 MiB", "488 KiB of 256 KiB", "100/s")
            .doesNotContain("NaN", "undefined", "null");
        assertThat(tab.value("document.querySelectorAll('.zone .rack').length").intValue())
            .isEqualTo(3);
        assertThat(tab.value("document.querySelector('.node .fill').style.width").asString())
            .startsWith("50");
        assertThat(tab.value("document.documentElement.scrollWidth").intValue())
            .isLessThanOrEqualTo(width);
        assertThat(
                tab.value(
                        """
                        [...document.querySelectorAll('.node')].every(node => {
                          const edge = node.getBoundingClientRect();
                          return [...node.querySelectorAll('*')].every(part => {
                            const box = part.getBoundingClientRect();
                            return box.left >= edge.left && box.right <= edge.right;
                          });
                        })
                        """)
                    .booleanValue())
            .as("all parts are inside their node at %d pixels", width)
            .isTrue();
      }
      cluster.read("one");
      cluster.read("gone");
      tab.until("remoteHitRatioAt(course.length - 1) === 0.5");
      assertThat(tab.text("#charts")).contains("Remote hit ratio", "Replication lag");
      assertThat(tab.complaints()).isEmpty();
      assertThat(tab.text("#problem")).isEmpty();
      tab.go("about:blank?");
    }
  }

  @Test
  void aNodeIsDrainedAfterAConfirmation() {
    String host1 = "document.querySelector('.node .button')";
    try (AdminProcess process = AdminProcess.start(home, "", cluster())) {
      tab.go("http://127.0.0.1:%d/".formatted(process.address().getPort()));
      tab.until("nodeParts.size === 4 && " + host1 + ".textContent === 'Drain…'");
      tab.value(host1 + ".click()");
      tab.until("document.getElementById('dialog').open");
      assertThat(tab.text("#dialog")).contains("Drain host-1?");
      tab.value("document.querySelector('#dialog .main').click()");
      tab.until("document.querySelector('.node').dataset.state === 'drained'");
      assertThat(tab.text("#cluster-answer")).contains("host-1");

      tab.value(host1 + ".click()");
      tab.until("document.querySelector('.node').dataset.state === 'active'");
      assertThat(tab.complaints()).isEmpty();
      tab.go("about:blank?");
    }
  }

  @Test
  void withoutAClusterThePageHasNoPartForOne() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      tab.go("http://127.0.0.1:%d/".formatted(process.address().getPort()));
      tab.until("course.length > 1");
      assertThat(tab.value("document.getElementById('cluster') === null").booleanValue()).isTrue();
      assertThat(tab.text("#charts")).doesNotContain("Remote hit ratio");
      assertThat(tab.requests()).noneMatch(url -> url.contains("/cluster"));
      assertThat(tab.complaints()).isEmpty();
      tab.go("about:blank?");
    }
  }
}
