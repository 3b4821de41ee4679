package dev.ebb.host.enginebench;

import dev.ebb.host.htmlreport.HtmlPage;
import java.util.List;
import java.util.Map;

/** A result as one self-contained HTML page with charts. */
public final class EngineHtml {

  private static final HtmlPage PAGE =
      new HtmlPage(
          EngineHtml.class,
          "report/report.html",
          List.of("report/page.css"),
          List.of("report/facts.js", "report/charts.js", "report/page.js"));

  private EngineHtml() {}

  public static String write(EngineResult result) {
    String data = HtmlPage.data("id=\"result\"", EngineText.jsonWithSamples(result));
    return PAGE.write(Map.of("data", data));
  }
}
