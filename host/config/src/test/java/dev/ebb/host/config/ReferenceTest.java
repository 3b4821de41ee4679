package dev.ebb.host.config;

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

/** {@code reference.conf} and the tables of {@code docs/configuration.md} are the declared keys. */
class ReferenceTest {

  private static final Path CONF = Path.of("src/main/resources/reference.conf");
  private static final Path DOCS = Path.of("../../docs/configuration.md");

  private static final String WRITE = "ebb.reference.write";
  private static final String HOW =
      "run: mvn test -pl host/config -am -Dtest=ReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false -D%s=true"
          .formatted(WRITE);

  private static final Pattern TABLE =
      Pattern.compile("(<!-- keys: ([a-z ]+) -->\n).*?(?=\n<!-- end -->)", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\[([^]]+)]\\([^)]+\\)");
  private static final Pattern OUTSIDE_CODE = Pattern.compile(" (?=(?:[^`]*`[^`]*`)*[^`]*$)");
  private static final int WIDTH = 100;

  @Test
  void theReferenceListsEveryKey() throws IOException {
    String conf = reference();
    if (Boolean.getBoolean(WRITE)) {
      Files.writeString(CONF, conf);
    }
    assertThat(CONF).as(HOW).hasContent(conf);
    assertThat(ConfigFactory.parseString(conf)).isEqualTo(ConfigKeys.DEFAULTS);
  }

  @Test
  void theDocumentationListsEveryKey() throws IOException {
    String page = Files.readString(DOCS);
    List<String> sections = new ArrayList<>();
    String written =
        TABLE
            .matcher(page)
            .replaceAll(table -> {
              List<String> names = List.of(table.group(2).split(" "));
              sections.addAll(names);
              return Matcher.quoteReplacement(table.group(1) + "\n" + table(names) + "\n");
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

  private static String reference() {
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
            text.append("\n").append(comment(LINK.matcher(key.meaning()).replaceAll("$1")));
            text.append(comment("Allowed: " + key.type().allowed() + (key.live() ? "; live" : "")));
            text.append(key).append(" = ").append(key.standard()).append('\n');
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

  private static String table(List<String> sections) {
    return sections.stream()
        .flatMap(section -> sections().getOrDefault(section, List.of()).stream())
        .map(ReferenceTest::row)
        .collect(
            Collectors.joining(
                "\n", "| key | default | allowed | live | meaning |\n|---|---|---|---|---|\n", ""));
  }

  private static String row(ConfigKey<?> key) {
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(
            key.isSection() ? key + ".<name>" : key,
            List.of("\"\"", "[]", "{}").contains(key.standard())
                ? "empty"
                : "`" + key.standard() + "`",
            key.type().allowed(),
            key.live() ? "yes" : "",
            key.meaning());
  }
}
