package dev.ebb.host.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.key.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code reference.conf} describes the declared keys, and the tables of {@code
 * docs/configuration.md} are made from both.
 */
class ReferenceTest {

  private static final Path CONF = Path.of("src/main/resources/dev/ebb/host/config/reference.conf");
  private static final Path DOCS = Path.of("../../docs/configuration.md");

  private static final String WRITE = "ebb.reference.write";
  private static final String HOW =
      "run: mvn test -pl host/config -am -Dtest=ReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false -D%s=true"
          .formatted(WRITE);

  private static final Pattern TABLE =
      Pattern.compile("(<!-- keys: ([a-z ]+) -->\n).*?(?=\n<!-- end -->)", Pattern.DOTALL);

  /** The lines of a meaning, then the allowed values, then the key with its default. */
  private static final Pattern DESCRIBED =
      Pattern.compile("((?:# (?!Allowed: ).*\n)+)(?:# .*\n)*(ebb\\.[a-z0-9.-]+) = (.*)\n");

  private static final Pattern OUTSIDE_CODE = Pattern.compile(" (?=(?:[^`]*`[^`]*`)*[^`]*$)");
  private static final int WIDTH = 100;

  private record Described(String meaning, String standard) {}

  @Test
  void theReferenceListsEveryKey() throws IOException {
    String conf = reference(described());
    if (Boolean.getBoolean(WRITE)) {
      Files.writeString(CONF, conf);
    }
    assertThat(CONF).as(HOW).hasContent(conf);
    assertThat(ConfigKeys.DEFAULTS).isEqualTo(ConfigFactory.parseString(conf));
    assertThat(described().keySet())
        .containsExactlyElementsOf(ConfigKeys.ALL.stream().map(ConfigKey::path).toList());
  }

  @Test
  void theDocumentationListsEveryKey() throws IOException {
    String page = Files.readString(DOCS);
    Map<String, Described> described = described();
    List<String> sections = new ArrayList<>();
    String written =
        TABLE
            .matcher(page)
            .replaceAll(table -> {
              List<String> names = List.of(table.group(2).split(" "));
              sections.addAll(names);
              return Matcher.quoteReplacement(
                  table.group(1) + "\n" + table(names, described) + "\n");
            });
    if (Boolean.getBoolean(WRITE)) {
      Files.writeString(DOCS, written);
    }
    assertThat(page).as(HOW).isEqualTo(written);
    assertThat(sections).containsExactlyInAnyOrderElementsOf(sections().keySet());
  }

  private static Map<String, List<ConfigKey<?>>> sections() {
    return ConfigKeys.ALL.stream()
        .collect(
            Collectors.groupingBy(
                key -> key.path().split("\\.", -1)[1], LinkedHashMap::new, Collectors.toList()));
  }

  private static Map<String, Described> described() throws IOException {
    Map<String, Described> described = new LinkedHashMap<>();
    Matcher each = DESCRIBED.matcher(Files.readString(CONF));
    while (each.find()) {
      String meaning = each.group(1).replace("\n", "").replaceFirst("# ", "").replace("# ", " ");
      described.put(each.group(2), new Described(meaning, each.group(3)));
    }
    return described;
  }

  private static Described of(ConfigKey<?> key, Map<String, Described> described) {
    return requireNonNull(described.get(key.path()), key + " is not in reference.conf: add it");
  }

  private static String reference(Map<String, Described> described) {
    StringBuilder text =
        new StringBuilder(
            """
            # Every key that Ebb reads, with its default. A user's file (ebb.conf in the working directory, or
            # --config FILE) needs only the values that differ. Ebb rejects unknown keys and wrong values.
            # Keys that are marked live can change while Ebb runs. The others need a restart.
            """);
    sections()
        .forEach((section, keys) -> {
          text.append('\n');
          for (ConfigKey<?> key : keys) {
            text.append("\n").append(comment(of(key, described).meaning()));
            text.append(comment("Allowed: " + key.type().allowed() + (key.live() ? "; live" : "")));
            text.append(key).append(" = ").append(of(key, described).standard()).append('\n');
          }
        });
    return text.toString();
  }

  private static String comment(String text) {
    StringBuilder comment = new StringBuilder();
    StringBuilder line = new StringBuilder("#");
    for (String word : OUTSIDE_CODE.split(text, -1)) {
      if (line.length() + 1 + word.length() > WIDTH) {
        comment.append(line).append('\n');
        line = new StringBuilder("#");
      }
      line.append(' ').append(word);
    }
    return comment.append(line).append('\n').toString();
  }

  private static String table(List<String> sections, Map<String, Described> described) {
    return sections.stream()
        .flatMap(section -> sections().getOrDefault(section, List.of()).stream())
        .map(key -> row(key, of(key, described)))
        .collect(
            Collectors.joining(
                "\n", "| key | default | allowed | live | meaning |\n|---|---|---|---|---|\n", ""));
  }

  private static String row(ConfigKey<?> key, Described described) {
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(
            key.isSection() ? key + ".<name>" : key,
            List.of("\"\"", "[]", "{}").contains(described.standard())
                ? "empty"
                : "`" + described.standard() + "`",
            key.type().allowed(),
            key.live() ? "yes" : "",
            described.meaning());
  }
}
