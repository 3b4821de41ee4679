package dev.ebb.host.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the settings of the shipped policies in the documentation against their JARs. */
class DocumentedSettingsTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Map<Path, String> PAGES =
      Map.of(
          Path.of("plugin-snapkv"), "token-policies.md",
          Path.of("plugin-predictive"), "predictive.md");
  private static final Pattern POLICY =
      Pattern.compile("^([\\w-]+) \\{\n(.*?)^}", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern SETTING = Pattern.compile("((?: {2}#.*\n)+) {2}([\\w-]+) = (.*)\n");

  private static List<Arguments> policies() throws IOException {
    List<Arguments> policies = new ArrayList<>();
    try (DirectoryStream<Path> plugins = Files.newDirectoryStream(ROOT, "plugin-*")) {
      for (Path plugin : plugins) {
        String page = PAGES.getOrDefault(plugin.getFileName(), "policies.md");
        String conf = Files.readString(plugin.resolve("src/main/resources/reference.conf"));
        POLICY
            .matcher(conf)
            .results()
            .forEach(policy -> policies.add(Arguments.of(policy.group(1), page, policy.group(2))));
      }
    }
    return policies;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("policies")
  void everySettingIsDocumented(String policy, String page, String settings) {
    GeneratedTable.check(
        page,
        "settings of " + policy,
        DocumentedSettingsTest.class,
        List.of("setting", "default", "meaning"),
        SETTING.matcher(settings).results().map(DocumentedSettingsTest::row).toList());
  }

  private static List<String> row(MatchResult setting) {
    String meaning = setting.group(1).replaceAll("\\s+# ?", " ").strip();
    assertThat(meaning).as(setting.group(2)).endsWith(".");
    return List.of(
        "`" + setting.group(2) + "`",
        "`" + setting.group(3) + "`",
        meaning.substring(0, meaning.length() - 1));
  }
}
