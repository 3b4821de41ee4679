package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.MemoryCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The names of the fields that clients read. Other tests read the documents with the types that
 * write them, so a renamed field would be noticed only here. A name may be added to the list; a
 * removed or renamed one breaks clients.
 */
class DocumentFieldsTest {

  private static final Path EXPECTED = Path.of("src/test/resources/admin-fields.txt");

  /** Objects whose names are not fields but causes, gauges, settings and the like. */
  private static final Set<String> MAPS =
      Set.of(
          "faults",
          "gauges",
          "removals",
          "settings",
          "shares",
          "states",
          "stepMillis",
          "strategies",
          "symbols",
          "uses",
          "value");

  private static final List<String> PATHS =
      List.of(
          "cluster",
          "cluster/migrations",
          "cluster/nodes",
          "cluster/values?key=key9",
          "config",
          "entries",
          "evictions?tail=10",
          "explain/key9",
          "pins",
          "plugins",
          "plugins/history",
          "policies",
          "policy",
          "policy/rules",
          "pool",
          "pool/map?cells=10",
          "shadows",
          "stats",
          "tiers");

  @TempDir private Path home;

  @Test
  void theFieldsOfEachDocumentKeepTheirNames() throws Exception {
    List<String> lines = new ArrayList<>();
    try (AdminProcess process =
        AdminProcess.start(
            home,
            """
            ebb.shadow { rate = 1, policies = [second] }
            ebb.eviction.rules = [
              { name = full, when = occupancy, above = "90 %", clear-at = "80 %", policy = second }
            ]
            """,
            new MemoryCluster("a", "z", "r1").node("b", "z", "r2", 1).put("key9", 10, "a", "b"))) {
      for (int i = 0; i < 10; i++) {
        process.put("key" + i, 60_000);
      }
      process.put("model@1@0@abc@ann", 100);
      process.call("POST", "/api/v1/evict", "{\"key\": \"key1\"}");
      process.call("POST", "/api/v1/evict", "{\"to\": 0.2}");
      process.call("POST", "/api/v1/pins", "{\"key\": \"key9\", \"seconds\": 60}");
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"third\"}");
      process.call("POST", "/api/v1/cluster/migrations", "{\"keys\": [\"key9\"], \"node\": \"b\"}");
      for (String path : PATHS) {
        lines.addAll(fields(path, process.get("/api/v1/" + path)));
      }
      lines.addAll(
          fields("route", process.call("POST", "/api/v1/route", "{\"keys\": [\"key9\"]}")));
    }

    assertThat(lines).containsExactlyElementsOf(Files.readAllLines(EXPECTED));
  }

  private static List<String> fields(String path, AdminProcess.Answer answer) {
    SortedSet<String> fields = new TreeSet<>();
    collect(answer.json(), "", fields);
    return fields.stream().map(field -> path.replaceFirst("\\?.*", "") + " " + field).toList();
  }

  private static void collect(JsonNode node, String path, SortedSet<String> fields) {
    if (node.isArray()) {
      node.forEach(element -> collect(element, path + "[]", fields));
    }
    node.propertyStream()
        .forEach(property -> {
          String field = path + (path.isEmpty() ? "" : ".") + property.getKey();
          fields.add(field);
          if (!MAPS.contains(property.getKey())) {
            collect(property.getValue(), field, fields);
          }
        });
  }
}
