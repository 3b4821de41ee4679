package dev.ebb.host.page;

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

/**
 * A page that holds its own styles and scripts, and whose content security policy admits just
 * these, by their hash: nothing else on it can ever run.
 */
public final class HtmlPage {

  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");
  private static final String SHARED = "shared/";

  private final Class<?> home;
  private final String template;
  private final List<String> styles;
  private final List<String> scripts;

  /**
   * A page made of resources. A name that starts with {@code shared/} is one of this package's.
   *
   * @param home the class beside whose package they lie
   * @param template the HTML, with places such as <code>{{styles}}</code>
   * @param styles style sheets, in the order in which they overrule each other
   * @param scripts in the order in which they build on each other
   * @throws NullPointerException if a resource is missing
   */
  public HtmlPage(Class<?> home, String template, List<String> styles, List<String> scripts) {
    this.home = home;
    this.template = resource(template);
    this.styles = styles.stream().map(this::resource).toList();
    this.scripts = scripts.stream().map(this::resource).toList();
  }

  /**
   * What browsers may do on this page: nothing but what it says here.
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
   * @param parts what to put into the template's places, as HTML; {@code styles}, {@code scripts},
   *     {@code policy} and {@code licence} (of the charts) are known already
   * @return HTML
   * @throws NullPointerException if a place has no part
   */
  public String write(Map<String, String> parts) {
    Map<String, String> all = new HashMap<>(parts);
    all.put("policy", contentSecurityPolicy());
    all.put("licence", resource(SHARED + "uplot/LICENSE"));
    all.put("styles", elements("style", "", styles));
    all.put("scripts", elements("script", "", scripts));
    return PLACE
        .matcher(template)
        .replaceAll(
            place -> Matcher.quoteReplacement(Objects.requireNonNull(all.get(place.group(1)))));
  }

  /**
   * Elements of one kind, one after the other.
   *
   * @param name of the element
   * @param attributes as they stand behind the name, a space first; may be empty
   * @param contents of each, as HTML
   * @return HTML
   */
  public static String elements(String name, String attributes, List<String> contents) {
    return contents.stream()
        .map(content -> "<" + name + attributes + ">" + content + "</" + name + ">")
        .collect(Collectors.joining("\n"));
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

  /** Browsers hash what they parsed, and parsing turns every line end into a line feed. */
  private String resource(String name) {
    boolean shared = name.startsWith(SHARED);
    try (InputStream in =
        shared
            ? HtmlPage.class.getResourceAsStream(name.substring(SHARED.length()))
            : home.getResourceAsStream(name)) {
      return new String(
              Objects.requireNonNull(in, name + " is missing").readAllBytes(),
              StandardCharsets.UTF_8)
          .replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
