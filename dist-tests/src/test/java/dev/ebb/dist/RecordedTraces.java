package dev.ebb.dist;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Recorded traces with reference results, which are not part of the project: found in {@code
 * $EBB_SHARED/traces}, or in {@code shared/traces} beside the project.
 */
record RecordedTraces(Path folder) {

  static RecordedTraces orSkip() {
    String named = System.getenv("EBB_SHARED");
    Path shared = named == null ? Ebb.ROOT.resolveSibling("shared") : Path.of(named);
    Path folder = shared.resolve("traces");
    Assumptions.assumeTrue(
        Files.isReadable(folder.resolve("reference.json")),
        "skipped: no recorded traces in " + folder + " (EBB_SHARED names the folder above)");
    return new RecordedTraces(folder);
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /** The reference results of one policy, metric and trace. */
  List<JsonNode> reference(String trace, String policy, String metric) {
    List<JsonNode> rows = new ArrayList<>();
    JsonNode all = new ObjectMapper().readTree(folder.resolve("reference.json").toFile());
    for (JsonNode row : all.get("results")) {
      if (row.get("trace").asString().equals(trace)
          && row.get("policy").asString().equals(policy)
          && row.get("metric").asString().equals(metric)) {
        rows.add(row);
      }
    }
    return rows;
  }

  /** The capacities for which a policy has reference results, as the option {@code --capacity}. */
  String capacities(String trace, String policy, String metric) {
    return String.join(
        ",",
        reference(trace, policy, metric).stream()
            .map(row -> row.get("cache_blocks").asString())
            .toList());
  }
}
