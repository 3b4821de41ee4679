package dev.ebb.host.htmlreport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An HTML page that contains its own styles and scripts. Its content security policy allows just
 * these, by their hash, so that nothing else on it can run.
 */
public final class HtmlPage {

  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");

  /** A part that several templates share, for example {@code {{> swatch}}}. */
  private static final Pattern SHARED_PART = Pattern.compile("\\{\\{> ([\\w-]+)}}");

  /** The styles shared by all pages; a page's own styles override them. */
  private static final List<String> SHARED_STYLES =
      List.of(
          "uplot/uPlot.min.css",
          "theme.css",
          "base.css",
          "controls.css",
          "card.css",
          "scroll.css",
          "tables.css",
          "tip.css");

  private static final List<String> SHARED_SCRIPTS =
      List.of(
          "uplot/uPlot.iife.min.js",
          "problem.js",
          "element.js",
          "tables.js",
          "look.js",
          "tip.js",
          "charts.js",
          "theme.js",
          "reading.js",
          "report.js");

  private final String template;
  private final List<String> styles;
  private final List<String> scripts;

  /**
   * Creates a page from resources: the styles and scripts that all pages share, then its own.
   *
   * @param template the HTML, with places such as <code>{{styles}}</code> and shared parts such as
   *     {@code {{> swatch}}}
   * @param styles its style sheets, in the order in which they override each other
   * @param scripts its own, in the order of their dependencies
   */
  public HtmlPage(Class<?> home, String template, List<String> styles, List<String> scripts) {
    this.template = withSharedParts(resource(home, template));
    this.styles = texts(SHARED_STYLES, home, styles);
    this.scripts = texts(SHARED_SCRIPTS, home, scripts);
  }

  /**
   * Returns the content security policy of this page: it allows only the page's own content.
   *
   * @return directives for everything; more may be added behind a semicolon
   */
  public String contentSecurityPolicy() {
    return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src "
        + hashes(styles)
        + "; script-src "
        + hashes(scripts);
  }

  /**
   * Writes the page.
   *
   * @param parts the HTML for the template's places; {@code styles}, {@code scripts}, {@code
   *     policy} and {@code licence} (of the charts) are known already
   */
  public String write(Map<String, String> parts) {
    Map<String, String> all = new HashMap<>(parts);
    all.put("policy", contentSecurityPolicy());
    all.put("licence", resource(HtmlPage.class, "uplot/LICENSE"));
    all.put("styles", elements("style", "", styles));
    all.put("scripts", elements("script", "", scripts));
    return PLACE
        .matcher(template)
        .replaceAll(
            place -> Matcher.quoteReplacement(Objects.requireNonNull(all.get(place.group(1)))));
  }

  /**
   * Returns elements of one kind, one after the other.
   *
   * @param attributes the text behind the name, a space first; may be empty
   * @param contents of each, as HTML
   */
  private static String elements(String name, String attributes, List<String> contents) {
    return contents.stream()
        .map(content -> "<" + name + attributes + ">" + content + "</" + name + ">")
        .collect(Collectors.joining("\n"));
  }

  /**
   * Returns an element with data for the page's scripts.
   *
   * @param attribute the element's id or class, such as {@code id="report"}
   */
  public static String data(String attribute, String json) {
    // JSON has this character only in strings; without it, none can end or nest a script element.
    String inert = json.replace("<", "\\u003c");
    return elements("script", " type=\"application/json\" " + attribute, List.of(inert));
  }

  private static String withSharedParts(String html) {
    return SHARED_PART
        .matcher(html)
        .replaceAll(part -> {
          String shared = resource(HtmlPage.class, part.group(1) + ".html");
          return Matcher.quoteReplacement(withSharedParts(shared.strip()));
        });
  }

  private static String hashes(List<String> texts) {
    return texts.stream().map(HtmlPage::hash).collect(Collectors.joining(" "));
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

  private static List<String> texts(List<String> shared, Class<?> home, List<String> own) {
    return Stream.concat(
            shared.stream().map(name -> resource(HtmlPage.class, name)),
            own.stream().map(name -> resource(home, name)))
        .toList();
  }

  /** Browsers hash what they parsed, and parsing turns every line end into a line feed. */
  private static String resource(Class<?> home, String name) {
    try (InputStream in = home.getResourceAsStream(name)) {
      return new String(
              Objects.requireNonNull(in, name + " is missing").readAllBytes(),
              StandardCharsets.UTF_8)
          .replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
