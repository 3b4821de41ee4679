package dev.ebb.host.replay.suite;

import dev.ebb.host.replay.ReplayJson;
import dev.ebb.host.replay.ReplayReport;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The result of a suite as JSON: a report of a replay with {@code suite}, its name, and {@code
 * ranking}. Unknown values are null.
 */
public final class SuiteJson {

  private static final JsonMapper MAPPER = new JsonMapper();

  private SuiteJson() {}

  /** Writes all. */
  public static String write(String suite, List<SuiteRank> ranking, List<ReplayReport> reports) {
    ObjectNode document = (ObjectNode) MAPPER.readTree(ReplayJson.write(reports, false));
    add(document, suite, ranking);
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(document);
  }

  /** Writes the name and the ranking only. */
  public static String writeRanking(String suite, List<SuiteRank> ranking) {
    ObjectNode document = MAPPER.createObjectNode();
    add(document, suite, ranking);
    return MAPPER.writeValueAsString(document);
  }

  private static void add(ObjectNode document, String suite, List<SuiteRank> ranking) {
    document.put("suite", suite);
    var rows = document.putArray("ranking");
    for (SuiteRank rank : ranking) {
      ObjectNode row = rows.addObject();
      row.put("policy", rank.policy());
      row.put("rank", rank.rank());
      number(row, "meanRank", rank.meanRank());
      row.put("wins", rank.wins());
      row.put("cases", rank.cases());
      row.put("failures", rank.failures());
      number(row, "hitRatio", rank.hitRatio());
      number(row, "gain", rank.gain());
      number(row, "gapClosed", rank.gapClosed());
      worst(row, rank);
      var traces = row.putArray("traces");
      for (SuiteRank.TraceShare share : rank.traces()) {
        ObjectNode part = traces.addObject();
        part.put("trace", share.trace());
        number(part, "meanRank", share.meanRank());
        number(part, "gain", share.gain());
        number(part, "gapClosed", share.gapClosed());
      }
    }
  }

  private static void worst(ObjectNode row, SuiteRank rank) {
    SuiteRank.Worst worst = rank.worst();
    if (worst == null) {
      row.putNull("worst");
      return;
    }
    ObjectNode part = row.putObject("worst");
    part.put("trace", worst.trace());
    part.put("capacityBlocks", worst.capacityBlocks());
    number(part, "gain", worst.gain());
  }

  private static void number(ObjectNode row, String name, double value) {
    if (Double.isFinite(value)) {
      row.put(name, value);
    } else {
      row.putNull(name);
    }
  }
}
