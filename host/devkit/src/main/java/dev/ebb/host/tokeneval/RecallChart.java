package dev.ebb.host.tokeneval;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Accuracy over the share of tokens kept, as a drawing with a line for each policy. */
final class RecallChart {

  private static final int WIDTH = 560;
  private static final int HEIGHT = 320;
  private static final int LEFT = 48;
  private static final int BOTTOM = 40;
  private static final int TOP = 12;
  private static final int RIGHT = 12;
  private static final int COLOURS = 8;

  private RecallChart() {}

  /**
   * Draws the results for one time of the question.
   *
   * @param results those of each policy in the order of the ratios, the baseline first
   */
  static String svg(List<Double> ratios, List<RecallResult> results) {
    double largest = ratios.stream().mapToDouble(Double::doubleValue).max().orElse(1);
    StringBuilder out =
        new StringBuilder(
            "<svg class=\"recall\" role=\"img\" viewBox=\"0 0 %d %d\">".formatted(WIDTH, HEIGHT));
    out.append("<title>Facts known over the share of tokens kept</title>");
    for (int percent = 0; percent <= 100; percent += 25) {
      double y = y(percent / 100.0);
      out.append(line("grid", LEFT, y, WIDTH - RIGHT, y));
      out.append(text("end", LEFT - 8, y + 4, percent + "%"));
    }
    for (double ratio : ratios) {
      double x = x(ratio, largest);
      out.append(text("middle", x, HEIGHT - BOTTOM + 18, RecallHtml.percent(ratio)));
    }
    out.append(
        text(
            "middle",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 4,
            "share of the prompt's tokens kept"));
    StringBuilder legend = new StringBuilder("<ul class=\"recall-legend\">");
    int index = 0;
    for (Map.Entry<String, List<RecallResult>> policy : byPolicy(results).entrySet()) {
      String look =
          policy.getKey().equals(RecallResult.FULL)
              ? "full"
              : "line-%d dash-%d".formatted(index % COLOURS, index++ / COLOURS % 3);
      out.append(policyLine(policy.getValue(), largest, look));
      legend.append(
          "<li><svg class=\"recall-swatch\" viewBox=\"0 0 28 10\" aria-hidden=\"true\">%s</svg> %s</li>"
              .formatted(line(look, 0, 5, 28, 5), RecallHtml.escaped(policy.getKey())));
    }
    return out.append("</svg>").append(legend).append("</ul>").toString();
  }

  private static Map<String, List<RecallResult>> byPolicy(List<RecallResult> results) {
    Map<String, List<RecallResult>> all = new LinkedHashMap<>();
    for (RecallResult result : results) {
      if (result.failure() == null) {
        all.computeIfAbsent(result.policy(), name -> new ArrayList<>()).add(result);
      }
    }
    return all;
  }

  /** Returns the line of a policy; the baseline has one point and is drawn across. */
  private static String policyLine(List<RecallResult> results, double largest, String look) {
    if (results.getFirst().policy().equals(RecallResult.FULL)) {
      double y = y(results.getFirst().accuracy());
      return line(look, LEFT, y, WIDTH - RIGHT, y);
    }
    StringBuilder points = new StringBuilder();
    StringBuilder marks = new StringBuilder();
    results.stream()
        .sorted((a, b) -> Double.compare(a.ratio(), b.ratio()))
        .forEach(result -> {
          double x = x(result.ratio(), largest);
          double y = y(result.accuracy());
          points.append(format("%.1f,%.1f ", x, y));
          marks.append(
              format("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\">", look, x, y)
                  + "<title>%s, %s kept: %s</title></circle>"
                      .formatted(
                          RecallHtml.escaped(result.policy()),
                          RecallHtml.percent(result.ratio()),
                          RecallHtml.percent(result.accuracy())));
        });
    return "<polyline class=\"%s\" points=\"%s\"/>%s"
        .formatted(look, points.toString().strip(), marks);
  }

  private static double x(double ratio, double largest) {
    return LEFT + 12 + ratio / largest * (WIDTH - RIGHT - LEFT - 24);
  }

  private static double y(double accuracy) {
    return TOP + (1 - accuracy) * (HEIGHT - BOTTOM - TOP);
  }

  private static String line(String look, double x1, double y1, double x2, double y2) {
    return format(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
        look, x1, y1, x2, y2);
  }

  private static String text(String anchor, double x, double y, String content) {
    return format(
        "<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", anchor, x, y, content);
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
