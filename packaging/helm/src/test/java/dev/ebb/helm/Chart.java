package dev.ebb.helm;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The chart, rendered by Helm. */
final class Chart {

  static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  static final Path FOLDER = ROOT.resolve("packaging/helm/ebb");
  private static final ObjectMapper YAML = new YAMLMapper();

  private Chart() {}

  /**
   * Renders the chart as the release {@code cache} in the namespace {@code llm}.
   *
   * @param values YAML
   * @throws IllegalStateException if Helm refuses them
   */
  static Rendered render(String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      try {
        Files.writeString(file, values);
        String text =
            new Helm(FOLDER)
                .template()
                .withName("cache")
                .withNamespace("llm")
                .withKubeVersion("1.35.0")
                .withValuesFile(file)
                .call();
        return new Rendered(documents(text));
      } finally {
        Files.delete(file);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  static List<JsonNode> documents(String yaml) {
    return Stream.of(yaml.split("(?m)^---.*$"))
        .map(YAML::readTree)
        .filter(document -> document.has("kind"))
        .toList();
  }

  static JsonNode yaml(Path file) {
    return YAML.readTree(file.toFile());
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The documents of a release. */
  record Rendered(List<JsonNode> documents) {

    JsonNode one(String kind) {
      return documents.stream()
          .filter(document -> document.path("kind").asString().equals(kind))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + kind));
    }

    List<String> kinds() {
      return documents.stream().map(document -> document.path("kind").asString()).sorted().toList();
    }

    /** Returns the template of the pods. */
    JsonNode pod() {
      return documents.stream()
          .map(document -> document.at("/spec/template/spec"))
          .filter(spec -> !spec.isMissingNode())
          .findFirst()
          .orElseThrow();
    }

    JsonNode container() {
      return pod().at("/containers/0");
    }

    /** Returns {@code ebb.conf}. */
    String configuration() {
      return one("ConfigMap", "cache-ebb").at("/data/ebb.conf").asString();
    }

    JsonNode one(String kind, String name) {
      return documents.stream()
          .filter(document -> document.path("kind").asString().equals(kind))
          .filter(document -> document.at("/metadata/name").asString().equals(name))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
    }
  }
}
