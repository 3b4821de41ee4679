package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Files that must say the same. With {@code -Debb.reference.write=true} it writes them. */
class KubernetesDocsTest {

  private static final Pattern METRIC = Pattern.compile("(?<![:\\w])ebb_[a-z0-9_]+");
  private static final Pattern TABLE =
      Pattern.compile("(<!-- generated: values -->\n\n).*?(\n<!-- end -->)", Pattern.DOTALL);
  private static final Path METRICS = Chart.ROOT.resolve("docs/metrics.md");

  @Test
  void everyValueIsDocumented() {
    StringBuilder table =
        new StringBuilder("| value | default | allowed | meaning |\n|---|---|---|---|\n");
    JsonNode schema = Chart.yaml(Chart.FOLDER.resolve("values.schema.json"));
    append(table, "", schema, Chart.yaml(Chart.FOLDER.resolve("values.yaml")));

    Path page = Chart.ROOT.resolve("docs/kubernetes.md");
    Matcher place = TABLE.matcher(Chart.read(page));
    assertThat(place.find()).isTrue();
    check(
        page,
        place.replaceFirst(Matcher.quoteReplacement(place.group(1) + table + place.group(2))));
  }

  /** Adds the values of a section; those of the schema and of values.yaml must be the same. */
  private static void append(StringBuilder table, String path, JsonNode schema, JsonNode defaults) {
    assertThat(schema.path("additionalProperties").asBoolean(true)).as("%s", path).isFalse();
    List<String> names = new ArrayList<>(schema.path("properties").propertyNames());
    // Helm adds it for the charts that use others.
    names.remove("global");
    assertThat(names).isEqualTo(List.copyOf(defaults.propertyNames()));
    for (String name : names) {
      JsonNode each = schema.path("properties").path(name);
      if (each.has("properties")) {
        append(table, path + name + ".", each, defaults.path(name));
      } else {
        String value = defaults.path(name).toString().replace("\"", "");
        table.append(
            "| `%s` | %s | %s | %s |\n"
                .formatted(
                    path + name,
                    value.isEmpty() ? "empty" : "`" + value + "`",
                    allowed(each),
                    each.path("description").asString()));
      }
    }
  }

  private static String allowed(JsonNode schema) {
    if (schema.has("enum")) {
      return String.join(
          ", ",
          schema.path("enum").valueStream().map(each -> "`" + each.asString() + "`").toList());
    }
    return switch (schema.path("type").asString()) {
      case "boolean" -> "`true`, `false`";
      case "integer" ->
          schema.has("maximum")
              ? "%s to %s".formatted(schema.path("minimum"), schema.path("maximum"))
              : "at least " + schema.path("minimum");
      case "array" -> "list";
      case "object" -> "section";
      default -> "text";
    };
  }

  @ParameterizedTest
  @CsvSource({
    "packaging/prometheus/rules.yaml, files/rules.yaml",
    "docs/grafana/ebb.json, files/dashboard.json"
  })
  void theChartHasCopies(String original, String copy) {
    check(Chart.FOLDER.resolve(copy), Chart.read(Chart.ROOT.resolve(original)));
  }

  private static void check(Path file, String expected) {
    if (Boolean.getBoolean("ebb.reference.write")) {
      try {
        Files.writeString(file, expected);
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
    assertThat(Chart.read(file))
        .as(
            "run: mvn test -pl packaging/helm -am -Dtest=KubernetesDocsTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false -Debb.reference.write=true")
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "packaging/prometheus/rules.yaml",
        "packaging/prometheus/rules-test.yaml",
        "docs/grafana/ebb.json"
      })
  void everyMetricIsOne(String file) {
    Set<String> metrics = names("(?m)^\\| `(ebb_\\w+)` \\|", Chart.read(METRICS));
    assertThat(metrics).hasSizeGreaterThan(100);
    Set<String> used = new TreeSet<>();
    Matcher each = METRIC.matcher(Chart.read(Chart.ROOT.resolve(file)));
    while (each.find()) {
      used.add(each.group().replaceFirst("_bucket$", ""));
    }

    assertThat(used).hasSizeGreaterThan(20).isSubsetOf(metrics);
  }

  @Test
  void everyAlertHasATest() {
    String tests = Chart.read(Chart.ROOT.resolve("packaging/prometheus/rules-test.yaml"));
    Set<String> tested = names("alertname: (\\w+)", tests);
    Set<String> rules =
        names("- alert: (\\w+)", Chart.read(Chart.ROOT.resolve("packaging/prometheus/rules.yaml")));

    assertThat(tested).isEqualTo(rules);
  }

  @Test
  void theConnectionsAreJson() {
    JsonNode data = Chart.render("mode: pool").one("ConfigMap", "cache-ebb-connect").path("data");
    String url = data.path("url").asString();

    for (String name : List.of("lmcache-adapter.json", "vllm.json", "sglang.json")) {
      JsonNode block = new JsonMapper().readTree(data.path(name).asString());
      assertThat(block.findValuesAsString("url")).containsExactly(url);
    }
  }

  private static Set<String> names(String pattern, String text) {
    Set<String> names = new HashSet<>();
    Matcher each = Pattern.compile(pattern).matcher(text);
    while (each.find()) {
      names.add(each.group(1));
    }
    return names;
  }
}
