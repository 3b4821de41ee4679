package dev.ebb.host.metrics;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.values.Getters;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A metric, as the resource {@code metrics.txt} declares it. The table in {@code docs/metrics.md}
 * is made from the same declarations.
 *
 * @param name the name in Prometheus, with prefix and unit; a counter's ends in {@code _total}
 * @param labels the names of the labels, in order
 * @param sources the properties of statistics that have its values; empty if code writes them
 */
public record Metric(
    String name, Kind kind, List<String> labels, List<Source> sources, String help) {

  private static final Map<String, Metric> ALL = read();

  private static final Map<String, List<Sourced>> BY_TYPE =
      ALL.values().stream()
          .flatMap(metric -> metric.sources.stream().map(source -> new Sourced(metric, source)))
          .collect(Collectors.groupingBy(each -> each.source.type));

  /** A metric, and one of its sources. */
  record Sourced(Metric metric, Source source) {}

  public enum Kind {
    /** A count that grows from the start. */
    COUNTER,
    /** A current value. */
    GAUGE,
    /** A distribution of values since the start. */
    HISTOGRAM
  }

  /**
   * A property of statistics.
   *
   * @param type the simple name of the class of the statistics
   * @param path the names of methods, each of the result of the one before
   * @param divisor what converts its unit into the metric's
   * @param label the value of the last label; empty if the caller has all labels
   */
  public record Source(String type, List<String> path, double divisor, String label) {

    private static final Pattern TEXT =
        Pattern.compile("(\\w+)\\.([\\w.]+)(?:/(\\w+))?(?:=(\\S+))?");

    private static Source parse(String text) {
      Matcher parts = TEXT.matcher(text);
      if (!parts.matches()) {
        throw new IllegalArgumentException("'" + text + "' is not TYPE.PROPERTY");
      }
      return new Source(
          parts.group(1),
          List.of(parts.group(2).split("\\.", -1)),
          parts.group(3) == null ? 1 : Double.parseDouble(parts.group(3)),
          parts.group(4) == null ? "" : parts.group(4));
    }

    /** Returns the values that statistics have: several behind a list, none behind null. */
    List<?> of(Object statistics) {
      return Getters.values(statistics, path);
    }
  }

  /** Returns all metrics that Ebb defines, in the order of their declaration. */
  public static Collection<Metric> all() {
    return ALL.values();
  }

  /** Returns the metrics with sources in statistics of a type. */
  static List<Sourced> from(Object statistics) {
    return BY_TYPE.getOrDefault(statistics.getClass().getSimpleName(), List.of());
  }

  static Metric named(String name) {
    Metric metric = ALL.get(name);
    if (metric == null) {
      throw new IllegalArgumentException("no metric '" + name + "' in metrics.txt");
    }
    return metric;
  }

  private static Map<String, Metric> read() {
    try (InputStream in = requireNonNull(Metric.class.getResourceAsStream("metrics.txt"))) {
      Map<String, Metric> all = new LinkedHashMap<>();
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(Metric::parse)
          .forEach(metric -> all.put(metric.name, metric));
      return Collections.unmodifiableMap(all);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Metric parse(String line) {
    String[] cells = line.split(" *\\| *", 5);
    return new Metric(
        cells[0],
        Kind.valueOf(cells[1].toUpperCase(Locale.ROOT)),
        cells[2].isEmpty() ? List.of() : List.of(cells[2].split(", ", -1)),
        Pattern.compile(" ")
            .splitAsStream(cells[3])
            .filter(each -> !each.isEmpty())
            .map(Source::parse)
            .toList(),
        cells[4]);
  }

  /** Returns the name without the suffix that the Prometheus client adds to counters. */
  String baseName() {
    return kind == Kind.COUNTER ? name.substring(0, name.length() - "_total".length()) : name;
  }
}
