package dev.ebb.host.replay;

import dev.ebb.host.htmlreport.HtmlPage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports as one self-contained HTML page with charts: no network, no other file.
 *
 * <p>The page's content security policy allows only its own scripts and styles, by their hash. So
 * nothing in the name of a trace or policy can run.
 */
public final class ReplayHtml {

  private static final List<String> STYLES =
      List.of(
          "report/page.css",
          "report/controls.css",
          "report/trace.css",
          "report/bars.css",
          "report/ranking.css",
          "report/tables.css",
          "report/phone.css",
          "report/paper.css");

  private static final List<String> SCRIPTS =
      List.of(
          "report/format.js",
          "report/data.js",
          "report/looks.js",
          "report/lines.js",
          "report/bars.js",
          "report/columns.js",
          "report/table.js",
          "report/verdict.js",
          "report/memory.js",
          "report/ranking.js",
          "report/legend.js",
          "report/trace.js",
          "report/page.js");

  private static final HtmlPage PAGE =
      new HtmlPage(ReplayHtml.class, "report/report.html", STYLES, SCRIPTS);

  private ReplayHtml() {}

  public static String write(List<ReplayReport> reports) {
    return write(
        "replay",
        "This page compares the policies on a replay of these requests.",
        scripts("report", reports.stream().map(report -> data(report, Set.of()))));
  }

  /**
   * Writes reports in which some policies are candidates.
   *
   * @param reports one for each trace
   * @param candidates the candidates, compared with the other policies
   * @param memory heap for each entry: a JSON array of {@code policy}, {@code bytesPerEntry} and
   *     {@code bytesPerEntryTurnedOver}
   */
  public static String writeComparison(
      List<ReplayReport> reports, Set<String> candidates, String memory) {
    return write(
        "plugins bench",
        "This page compares the candidate policy with the others on a replay of these requests.",
        scripts("report", reports.stream().map(report -> data(report, candidates)))
            + "\n"
            + scripts("memory", Stream.of(memory)));
  }

  /**
   * Writes the reports of a suite, with the ranking of the policies over all of them.
   *
   * @param reports one for each trace
   * @param ranking a JSON object of {@code suite} and {@code ranking}
   */
  public static String writeSuite(List<ReplayReport> reports, String ranking) {
    return write(
        "replay suite",
        "This page ranks the policies on the traces of a suite.",
        scripts("report", reports.stream().map(report -> data(report, Set.of())))
            + "\n"
            + scripts("ranking", Stream.of(ranking)));
  }

  private static String write(String command, String purpose, String data) {
    return PAGE.write(Map.of("command", command, "purpose", purpose, "data", data));
  }

  private static String scripts(String kind, Stream<String> documents) {
    return documents
        .map(json -> HtmlPage.data("class=\"" + kind + "\"", json))
        .collect(Collectors.joining("\n"));
  }

  private static String data(ReplayReport report, Set<String> candidates) {
    return ReplayJson.write(List.of(report), true, candidates);
  }
}
