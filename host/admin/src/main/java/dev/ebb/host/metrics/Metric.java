package dev.ebb.host.metrics;

import static java.util.Objects.requireNonNull;

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

/**
 * A metric, as the resource {@code metrics.txt} declares it. The table in {@code docs/metrics.md}
 * is made from the same declarations.
 *
 * @param name the name in Prometheus, with prefix and unit; a counter's ends in {@code _total}
 * @param labels the names of the labels, in order
 */
public record Metric(String name, Kind kind, List<String> labels, String help) {

  private static final Map<String, Metric> ALL = read();

  /** The kind of a metric. */
  public enum Kind {
    /** A count that grows from the start. */
    COUNTER,
    /** A current value. */
    GAUGE,
    /** A distribution of values since the start. */
    HISTOGRAM
  }

  /** Returns all metrics that Ebb defines, in the order of their declaration. */
  public static Collection<Metric> all() {
    return ALL.values();
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
    String[] cells = line.split(" *\\| *", 4);
    return new Metric(
        cells[0],
        Kind.valueOf(cells[1].toUpperCase(Locale.ROOT)),
        cells[2].isEmpty() ? List.of() : List.of(cells[2].split(", ", -1)),
        cells[3]);
  }

  /** Returns the name without the suffix that the Prometheus client adds to counters. */
  String baseName() {
    return kind == Kind.COUNTER ? name.substring(0, name.length() - "_total".length()) : name;
  }
}
