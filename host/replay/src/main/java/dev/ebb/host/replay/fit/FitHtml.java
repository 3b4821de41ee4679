package dev.ebb.host.replay.fit;

import dev.ebb.host.htmlreport.HtmlPage;
import dev.ebb.host.replay.ReplayHtml;
import java.util.List;
import java.util.Map;

/** A {@link FitReport} as one self-contained HTML page with charts. */
public final class FitHtml {

  private static final HtmlPage PAGE =
      new HtmlPage(
          ReplayHtml.class,
          "fit/fit.html",
          List.of(
              "report/page.css",
              "report/controls.css",
              "report/trace.css",
              "report/tables.css",
              "report/phone.css",
              "report/paper.css"),
          List.of("report/format.js", "report/lines.js", "report/legend.js", "fit/fit.js"));

  private FitHtml() {}

  /** Returns the page. */
  public static String write(FitReport report) {
    return PAGE.write(Map.of("data", HtmlPage.data("id=\"report\"", report.json())));
  }
}
