package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.io.ByteArrayOutputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The policy and the tables of {@code docs/policy-building-blocks.md}. */
class DocumentedBlockPolicyTest {

  private static final Path PAGE = Path.of("..", "docs", "policy-building-blocks.md");
  private static final String FENCE = "```java\n";

  @TempDir private Path folder;

  @Test
  void thePolicyKeepsTheContractAndBothOrders() throws Exception {
    String page = Files.readString(PAGE).replace("\r\n", "\n");
    int start = page.indexOf(FENCE) + FENCE.length();
    Path file = Files.createDirectories(folder.resolve("acme")).resolve("OwnFirst.java");
    Files.writeString(file, page.substring(start, page.indexOf("```", start)));
    compile(file);
    URL[] classes = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
      BlockPolicyProvider provider =
          (BlockPolicyProvider)
              loader.loadClass("acme.OwnFirst").getDeclaredConstructor().newInstance();
      List<Outcome> failed =
          BlockPolicyChecks.of(provider, CheckSettings.defaults()).stream()
              .map(Check::run)
              .filter(outcome -> !outcome.passed())
              .toList();
      assertThat(failed).isEmpty();
      try (BlockPolicy<?> policy = provider.create(TestContext.ofCapacity(8))) {
        assertTenantsLoseTheirOwnFirst(policy);
      }
    }
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
    String page = Files.readString(PAGE);

    assertThat(Arrays.stream(RemovalCause.values()))
        .allMatch(cause ->
            page.contains("| `%s` | %s |".formatted(cause, cause.forCapacity() ? "yes" : "no")));
    assertThat(Arrays.stream(Demand.Reason.values()))
        .allMatch(reason -> page.contains("`" + reason + "`"));
  }

  private void compile(Path source) throws URISyntaxException {
    Path spi =
        Path.of(BlockPolicy.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    int failed =
        requireNonNull(ToolProvider.getSystemJavaCompiler())
            .run(
                null,
                output,
                output,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                spi.toString(),
                source.toString());
    assertThat(failed).as("%s", output).isZero();
  }
}
