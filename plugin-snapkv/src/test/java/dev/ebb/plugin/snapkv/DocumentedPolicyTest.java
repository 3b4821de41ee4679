package dev.ebb.plugin.snapkv;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.testkit.Check;
import dev.ebb.testkit.CheckSettings;
import dev.ebb.testkit.Outcome;
import dev.ebb.testkit.TokenPolicyChecks;
import java.io.ByteArrayOutputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the policy in the documentation is that of the example, and keeps the contract. */
class DocumentedPolicyTest {

  private static final Path PAGE = Path.of("..", "docs", "writing-a-token-policy.md");

  private static final Path EXAMPLE =
      Path.of("..", "examples", "key-norm", "src", "main", "java", "acme", "KeyNorm.java");

  private static final String FENCE = "```java\n";

  @TempDir private Path folder;

  @Test
  void keepsTheContract() throws Exception {
    String page = Files.readString(PAGE).replace("\r\n", "\n");
    int start = page.indexOf(FENCE) + FENCE.length();
    String source = page.substring(start, page.indexOf("```", start));
    assertThat(source).isEqualTo(Files.readString(EXAMPLE).replace("\r\n", "\n"));
    Path file = Files.createDirectories(folder.resolve("acme")).resolve("KeyNorm.java");
    Files.writeString(file, source);
    compile(file);
    URL[] classes = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
      TokenPolicyProvider provider =
          (TokenPolicyProvider)
              loader.loadClass("acme.KeyNorm").getDeclaredConstructor().newInstance();
      List<Outcome> failed =
          TokenPolicyChecks.of(provider, CheckSettings.defaults()).stream()
              .map(Check::run)
              .filter(outcome -> !outcome.passed())
              .toList();
      assertThat(failed).isEmpty();
    }
  }

  private void compile(Path source) throws URISyntaxException {
    Path spi =
        Path.of(TokenPolicy.class.getProtectionDomain().getCodeSource().getLocation().toURI());
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
