package dev.ebb.host.tokeneval;

import dev.ebb.host.htmlreport.HtmlPage;
import dev.ebb.host.tokeneval.RecallResult.Asked;
import dev.ebb.host.units.Plural;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Results as one self-contained HTML page with charts. */
public final class RecallHtml {

  private static final HtmlPage PAGE =
      new HtmlPage(
          RecallHtml.class,
          "report/report.html",
          List.of("report/page.css"),
          List.of("report/page.js"));

  private RecallHtml() {}

  /** Writes results. */
  public static String write(RecallOptions options, List<RecallResult> results) {
    return PAGE.write(
        Map.of(
            "facts",
            "%s of %s for each point, seed %d, budget %s"
                .formatted(
                    Plural.of(options.prompts(), "prompt", "prompts"),
                    Plural.of(options.length(), "token", "tokens"),
                    options.seed(),
                    escaped(options.budget())),
            "inPrompt",
            chart(options, results, Asked.IN_PROMPT),
            "afterwards",
            chart(options, results, Asked.AFTERWARDS),
            "rows",
            results.stream().map(RecallHtml::row).collect(Collectors.joining("\n"))));
  }

  private static String chart(RecallOptions options, List<RecallResult> results, Asked asked) {
    return RecallChart.svg(
        options.ratios(), results.stream().filter(result -> result.asked() == asked).toList());
  }

  private static String row(RecallResult result) {
    return "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>"
        .formatted(
            escaped(result.policy()),
            result.asked() == Asked.IN_PROMPT ? "in the prompt" : "afterwards",
            percent(result.ratio()),
            result.failure() == null ? percent(result.accuracy()) : escaped(result.failure()));
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.3g%%", share * 100).replaceAll("\\.0*%", "%");
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
