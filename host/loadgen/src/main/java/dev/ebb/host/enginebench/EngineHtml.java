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
    // JSON has '<' only in texts, and it alone can end a script element.
    String data = EngineText.jsonWithSamples(result).replace("<", "\\u003c");
    return PAGE.write(
        Map.of(
            "data",
            HtmlPage.elements(
                "script", " type=\"application/json\" id=\"result\"", List.of(data))));
  }
}
