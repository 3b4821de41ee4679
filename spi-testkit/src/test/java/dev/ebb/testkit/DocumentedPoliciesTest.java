package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.TokenPolicyProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The policies of the documentation and of the examples that it links to, and its tables. */
class DocumentedPoliciesTest {

  private static final Path BLOCK_PAGE = Path.of("..", "docs", "policy-building-blocks.md");
  private static final Path TOKEN_PAGE = Path.of("..", "docs", "writing-a-token-policy.md");

  private static final Path BLOCK_EXAMPLE =
      Path.of("..", "examples", "own-first", "src", "main", "java", "acme", "OwnFirst.java");

  private static final Path TOKEN_EXAMPLE =
      Path.of("..", "examples", "key-norm", "src", "main", "java", "acme", "KeyNorm.java");

  private static final Path QUEUED =
      Path.of("..", "spi", "src", "main", "java", "dev", "ebb", "spi", "QueuedBlockPolicy.java");

  private static final String FENCE = "```java\n";

  @TempDir private Path folder;

  @Test
  void theBlockPolicyKeepsTheContractAndBothOrders() throws Exception {
    try (URLClassLoader loader = compiled("OwnFirst", text(BLOCK_EXAMPLE))) {
      BlockPolicyProvider provider =
          (BlockPolicyProvider)
              loader.loadClass("acme.OwnFirst").getDeclaredConstructor().newInstance();
      assertAllPass(BlockPolicyChecks.of(provider, CheckSettings.defaults()));
      try (BlockPolicy<?> policy = provider.create(TestContext.ofCapacity(8))) {
        assertTenantsLoseTheirOwnFirst(policy);
      }
    }
  }

  @Test
  void theExampleOfQueuedBlockPolicyKeepsTheContract() throws Exception {
    String javadoc = text(QUEUED).replaceAll("(?m)^ \\* ?", "");
    String example = between(javadoc, "<pre>{@code\n", "\n}</pre>");
    String source =
        """
        package acme;
        import dev.ebb.spi.*;
        public final class Example implements PolicyPlugin {
          public java.util.List<BlockPolicyProvider> blockPolicies() {
            return java.util.List.of(BlockPolicyProvider.of("example", SecondChance::new));
          }
        }
        """;
    try (URLClassLoader loader = compiled("Example", source + example)) {
      PolicyPlugin plugin =
          (PolicyPlugin) loader.loadClass("acme.Example").getDeclaredConstructor().newInstance();
      assertAllPass(
          BlockPolicyChecks.of(plugin.blockPolicies().getFirst(), CheckSettings.defaults()));
    }
  }

  @Test
  void theTokenPolicyIsThatOfTheExampleAndKeepsTheContract() throws Exception {
    String source = text(TOKEN_EXAMPLE);
    assertThat(source.replaceAll("\\s+", " "))
        .contains(firstProgram(TOKEN_PAGE).strip().replaceAll("\\s+", " "));
    try (URLClassLoader loader = compiled("KeyNorm", source)) {
      TokenPolicyProvider provider =
          (TokenPolicyProvider)
              loader.loadClass("acme.KeyNorm").getDeclaredConstructor().newInstance();
      assertAllPass(TokenPolicyChecks.of(provider, CheckSettings.defaults()));
    }
  }

  private static void assertAllPass(List<Check> checks) {
    assertThat(checks.stream().map(Check::run).filter(outcome -> !outcome.passed())).isEmpty();
  }

  private static <N> void assertTenantsLoseTheirOwnFirst(BlockPolicy<N> policy) {
    Entry oldest = TestEntry.of(1).tenant("a");
    Entry old = TestEntry.of(2).tenant("b");
    N first = policy.inserted(oldest);
    N second = policy.inserted(old);
    policy.inserted(TestEntry.of(3).tenant("b"));
    Demand unknown = TestDemand.of(1);

    assertThat(policy.victim(unknown)).isSameAs(oldest);
    policy.refused(first);
    assertThat(policy.victim(unknown)).isSameAs(old);
    policy.refused(second);
    policy.released(first);
    assertThat(policy.victim(TestDemand.of(1).by("b", 1)))
        .extracting(Entry::fingerprint)
        .isEqualTo(3L);
    policy.removed(second, RemovalCause.DELETED);
    assertThat(policy.size()).isEqualTo(2);
  }

  @Test
  void theTablesListEveryConstant() throws Exception {
    String page = text(BLOCK_PAGE);

    assertThat(Arrays.stream(RemovalCause.values()))
        .allMatch(cause ->
            page.contains("| `%s` | %s |".formatted(cause, cause.forCapacity() ? "yes" : "no")));
    assertThat(Arrays.stream(Demand.Reason.values()))
        .allMatch(reason -> page.contains("`" + reason + "`"));
  }

  private static String firstProgram(Path page) throws IOException {
    return between(text(page), FENCE, "```");
  }

  private static String between(String text, String before, String after) {
    int start = text.indexOf(before) + before.length();
    return text.substring(start, text.indexOf(after, start));
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file).replace("\r\n", "\n");
  }

  private URLClassLoader compiled(String className, String source) throws Exception {
    Path file = Files.createDirectories(folder.resolve("acme")).resolve(className + ".java");
    Files.writeString(file, source);
    Path spi =
        Path.of(BlockPolicy.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String[] arguments = {
      "-proc:none", "-d", folder.toString(), "-cp", spi.toString(), file.toString()
    };
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    int failed =
        requireNonNull(ToolProvider.getSystemJavaCompiler()).run(null, output, output, arguments);
    assertThat(failed).as("%s", output).isZero();
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
  }
}
