package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of rules in {@code docs/writing-a-policy.md}: each has a check and a broken policy. */
class DocumentedRulesTest {

  private static final Path DOCUMENT = Path.of("../docs/writing-a-policy.md");
  private static final Path TESTS = Path.of("src/test/java/dev/ebb/testkit");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| ([a-z].*?) \\| (.*?) \\| a policy that (.*?) \\|$");

  /** The rules of predictors, token policies and preemption policies, which other tests break. */
  private static final Set<Rule> OF_OTHERS =
      EnumSet.of(
          Rule.PREDICTION,
          Rule.SIGNALS,
          Rule.MASK,
          Rule.SCORES,
          Rule.STATE,
          Rule.STATELESS,
          Rule.ALLOCATION,
          Rule.ORDER);

  private record Row(String rule, String check, String broken) {}

  @Test
  void everyRuleOfABlockPolicyHasACheckAndABrokenPolicyThatFailsIt() throws IOException {
    List<Row> rows = rows();
    assertThat(rows)
        .extracting(Row::rule)
        .containsExactlyElementsOf(
            EnumSet.complementOf(EnumSet.copyOf(OF_OTHERS)).stream().map(Rule::text).toList());

    List<String> checks =
        BlockPolicyChecks.of(new FifoProvider(), CheckSettings.defaults()).stream()
            .map(Check::name)
            .toList();
    String tests = tests();
    for (Row row : rows) {
      assertThat(checks).as(row.rule()).anyMatch(check -> check.startsWith(row.check()));
      Rule rule =
          Stream.of(Rule.values())
              .filter(each -> each.text().equals(row.rule()))
              .findFirst()
              .orElseThrow();
      // The test of the mistake proves that the check fails by this rule.
      Matcher mistake =
          Pattern.compile(
                  "\"%s\",\\s+Rule\\.%s,\\s+\"([^\"]*)\""
                      .formatted(Pattern.quote(row.broken()), rule.name()))
              .matcher(tests);
      assertThat(mistake.find()).as(row.rule()).isTrue();
      assertThat(row.check()).startsWith(mistake.group(1));
    }
  }

  private static List<Row> rows() throws IOException {
    return ROW.matcher(Files.readString(DOCUMENT))
        .results()
        .map(row -> new Row(row.group(1), row.group(2), row.group(3)))
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
