package dev.ebb.host.tokeneval;

import dev.ebb.host.htmlreport.JsonFields;
import java.util.List;

/** Results as JSON. Unknown values are null. */
public final class RecallJson {

  private RecallJson() {}

  /** Writes the results of {@link RecallEval#run}. */
  public static String write(RecallOptions options, List<RecallResult> results) {
    return new JsonFields()
        .put("tokens", options.length())
        .put("prompts", options.prompts())
        .put("seed", options.seed())
        .list("results", results, RecallJson::row)
        .indented();
  }

  private static JsonFields row(RecallResult result) {
    boolean known = result.failure() == null;
    return new JsonFields()
        .put("policy", result.policy())
        .put("asked", result.asked().label())
        .put("ratio", result.ratio())
        .put("right", known ? result.right() : null)
        .number("accuracy", result.accuracy())
        .put("failure", result.failure());
  }
}
