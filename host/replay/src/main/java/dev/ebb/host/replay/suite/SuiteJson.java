package dev.ebb.host.replay.suite;

import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.replay.ReplayJson;
import dev.ebb.host.replay.ReplayReport;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of a suite as JSON: a report of a replay with {@code suite}, its name, and {@code
 * ranking}. Unknown values are null.
 */
public final class SuiteJson {

  private SuiteJson() {}

  /** Writes all. */
  public static String write(
      String suite, List<SuiteRanking.Rank> ranking, List<ReplayReport> reports) {
    return add(ReplayJson.fields(reports, false, Set.of()), suite, ranking).indented();
  }

  /** Writes the name and the ranking only. */
  public static String writeRanking(String suite, List<SuiteRanking.Rank> ranking) {
    return add(new JsonFields(), suite, ranking).toString();
  }

  private static JsonFields add(
      JsonFields document, String suite, List<SuiteRanking.Rank> ranking) {
    return document.put("suite", suite).list("ranking", ranking, SuiteJson::rank);
  }

  private static JsonFields rank(SuiteRanking.Rank rank) {
    return new JsonFields()
        .values(rank, "policy rank meanRank wins cases failures hitRatio gain gapClosed")
        .put("worst", worst(rank.worst()))
        .list(
            "traces",
            rank.traces(),
            share -> new JsonFields().values(share, "trace meanRank gain gapClosed"));
  }

  private static @Nullable JsonFields worst(SuiteRanking.Rank.@Nullable Worst worst) {
    return worst == null ? null : new JsonFields().values(worst, "trace capacityBlocks gain");
  }
}
