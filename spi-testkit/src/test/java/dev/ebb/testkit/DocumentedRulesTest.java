package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules in {@code docs/writing-a-policy.md}: each has a check and a broken policy. */
class DocumentedRulesTest {

  private static final Path DOCUMENT = Path.of("../docs/writing-a-policy.md");
  private static final Path TESTS = Path.of("src/test/java/dev/ebb/testkit");
  private static final String START = "<!-- generated: rules -->\n\n";
  private static final String END = "\n\n<!-- end -->";

  /** The rules of predictors, token policies and preemption policies, which other tests break. */
  private static final Set<Rule> OF_OTHERS =
      EnumSet.of(
          Rule.PREDICTION,
          Rule.SIGNALS,
          Rule.MASK,
          Rule.SCORES,
          Rule.STATE,
          Rule.BUDGET,
          Rule.STATELESS,
          Rule.ALLOCATION,
          Rule.ORDER);

  private static final Set<Rule> OF_BLOCK_POLICIES =
      EnumSet.complementOf(EnumSet.copyOf(OF_OTHERS));

  @Test
  void thePageListsTheRulesOfBlockPolicies() throws IOException {
    String page = Files.readString(DOCUMENT);
    int start = page.indexOf(START) + START.length();
    String rules =
        OF_BLOCK_POLICIES.stream()
            .map(rule -> "- " + rule.text())
            .collect(Collectors.joining("\n"));
    String written = page.substring(0, start) + rules + page.substring(page.indexOf(END, start));
    if (Boolean.getBoolean("ebb.reference.write")) {
      Files.writeString(DOCUMENT, written);
    }

    assertThat(page).isEqualTo(written);
  }

  @Test
  void everyRuleHasACheckThatABrokenPolicyFails() throws IOException {
    List<String> checks =
        BlockPolicyChecks.of(new FifoProvider(), CheckSettings.defaults()).stream()
            .map(Check::name)
            .toList();
    String tests = tests();

    assertThat(OF_BLOCK_POLICIES)
        .allSatisfy(rule ->
            assertThat(brokenChecks(tests, rule))
                .anyMatch(broken -> checks.stream().anyMatch(each -> each.startsWith(broken))));
  }

  /** Returns the checks that a test expects to fail by a rule. */
  private static List<String> brokenChecks(String tests, Rule rule) {
    return Pattern.compile("Rule\\.%s,\\s+\"([^\"]+)\"".formatted(rule.name()))
        .matcher(tests)
        .results()
        .map(mistake -> mistake.group(1))
        .toList();
  }

  private static String tests() throws IOException {
    try (Stream<Path> files = Files.list(TESTS)) {
      return files.map(DocumentedRulesTest::text).collect(Collectors.joining("\n"));
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }
}
