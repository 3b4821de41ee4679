package dev.ebb.host.tokeneval;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Results as JSON. Unknown values are null. */
public final class RecallJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private RecallJson() {}

  /**
   * Writes results.
   *
   * @param options the options of the evaluation
   * @param results of {@link RecallEval#run}
   */
  public static String write(RecallOptions options, List<RecallResult> results) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("tokens", options.length());
    document.put("prompts", options.prompts());
    document.put("seed", options.seed());
    List<Map<String, Object>> rows = new ArrayList<>();
    for (RecallResult result : results) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("policy", result.policy());
      row.put("asked", result.asked().label());
      row.put("ratio", result.ratio());
      row.put("right", result.failure() == null ? result.right() : null);
      row.put("accuracy", result.failure() == null ? result.accuracy() : null);
      row.put("failure", result.failure());
      rows.add(row);
    }
    document.put("results", rows);
    return MAPPER.writeValueAsString(document);
  }
}
