package dev.ebb.host.replay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reports as one HTML page with charts that needs nothing but itself: no network, no other file.
 *
 * <p>The page's content security policy admits just the scripts and styles written here, by their
 * hash, so that nothing in a trace's or policy's name can ever run.
 */
public final class ReplayHtml {

  /** In the order in which they overrule each other. */
  private static final List<String> STYLES =
      List.of(
          "uplot/uPlot.min.css",
          "theme.css",
          "page.css",
          "controls.css",
          "trace.css",
          "bars.css",
          "tables.css",
          "tip.css",
          "phone.css",
          "paper.css");

  /** In the order in which they build on each other. */
  private static final List<String> SCRIPTS =
      List.of(
          "uplot/uPlot.iife.min.js",
          "problem.js",
          "format.js",
          "data.js",
          "look.js",
          "tip.js",
          "reading.js",
          "lines.js",
          "bars.js",
          "columns.js",
          "table.js",
          "verdict.js",
          "legend.js",
          "trace.js",
          "page.js");

  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");

  private ReplayHtml() {}

  /**
   * Writes reports.
   *
   * @param reports one for each trace
   * @return the page
   */
  public static String write(List<ReplayReport> reports) {
    List<String> styles = STYLES.stream().map(ReplayHtml::resource).toList();
    List<String> scripts = SCRIPTS.stream().map(ReplayHtml::resource).toList();
    Map<String, String> parts =
        Map.of(
            "policy", contentSecurityPolicy(styles, scripts),
            "licence", resource("uplot/LICENSE"),
            "styles", elements("style", "", styles),
            "data",
                elements(
                    "script",
                    " type=\"application/json\" class=\"report\"",
                    reports.stream().map(ReplayHtml::data).toList()),
            "scripts", elements("script", "", scripts));
    return PLACE
        .matcher(resource("report.html"))
        .replaceAll(
            place -> Matcher.quoteReplacement(Objects.requireNonNull(parts.get(place.group(1)))));
  }

  /** Inside a script element only {@code <} can end or nest it, and JSON has it only in strings. */
  private static String data(ReplayReport report) {
    return ReplayJson.write(List.of(report), true).replace("<", "\\u003c");
  }

  private static String elements(String name, String attributes, List<String> contents) {
    return contents.stream()
        .map(content -> "<" + name + attributes + ">" + content + "</" + name + ">")
        .collect(Collectors.joining("\n"));
  }

  private static String contentSecurityPolicy(List<String> styles, List<String> scripts) {
    return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src "
        + hashes(styles)
        + "; script-src "
        + hashes(scripts);
  }

  private static String hashes(List<String> texts) {
    return texts.stream().map(ReplayHtml::hash).collect(Collectors.joining(" "));
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Browsers hash what they parsed, and parsing turns every line end into a line feed. */
  private static String resource(String name) {
    try (InputStream in = ReplayHtml.class.getResourceAsStream("report/" + name)) {
      return new String(
              Objects.requireNonNull(in, "report/" + name + " is missing").readAllBytes(),
              StandardCharsets.UTF_8)
          .replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
