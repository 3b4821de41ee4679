package dev.ebb.host.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.TokenPolicyProvider;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that the programs of docs/embedding.md, docs/tokens.md and docs/scheduler.md run and print
 * the documented output.
 */
class DocumentedProgramTest {

  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final Path PROGRAMS = Path.of("..", "..", "examples", "engines");

  /** A substitute for the shipped policy, which is in a plugin. */
  private static final String SLIDING_WINDOW =
      """
      import dev.ebb.spi.*;
      import java.util.*;

      public final class Sliding implements TokenPolicyProvider {
        public String name() { return "sliding-window"; }

        public TokenPolicy create(PolicyContext context) {
          int prefix = (int) context.settings().integer("protected-prefix", 4, 0, 100);
          int window = (int) context.settings().integer("window", 100, 1, 100);
          return new TokenPolicy() {
            public Set<Signal> signals() { return Set.of(); }
            public Granularity granularity() { return Granularity.SEQUENCE; }
            public Trigger trigger() { return Trigger.UNDER_PRESSURE; }
            public void protect(TokenView view, BitSet mask) {
              mask.set(0, Math.min(prefix, view.length()));
              mask.set(Math.max(0, view.length() - window), view.length());
            }
            public void score(TokenView view, int layer, float[] out) {}
          };
        }
      }
      """;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"embedding.md,TinyEngine", "tokens.md,EndlessEngine", "scheduler.md,BatchingEngine"})
  void theProgramPrintsTheDocumentedOutput(String name, String program) throws Exception {
    String page = Files.readString(DOCS.resolve(name));
    Path source = PROGRAMS.resolve(program + ".java");
    assertThat(stripped(Files.readString(source))).containsAll(stripped(block(page, "java")));
    PluginJarBuilder.plugin("acme")
        .policy("lru")
        .source("Sliding", SLIDING_WINDOW)
        .service(TokenPolicyProvider.class, "Sliding")
        .writeTo(Configs.plugins(folder), "acme.jar");
    String classPath = System.getProperty("java.class.path");
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int compiled =
        requireNonNull(ToolProvider.getSystemJavaCompiler())
            .run(
                null,
                messages,
                messages,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                classPath,
                source.toString());
    assertThat(compiled).as("%s", messages).isZero();

    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      loader
          .loadClass(program)
          .getMethod("run", Path.class, PrintStream.class)
          .invoke(null, folder, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    assertThat(printed.toString(StandardCharsets.UTF_8).strip())
        .isEqualToNormalizingNewlines(block(page, "text").strip());
  }

  private static List<String> stripped(String code) {
    return code.lines().map(String::strip).filter(line -> !line.equals("...")).toList();
  }

  private static String block(String page, String language) {
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).as("a block of %s", language).isTrue();
    return block.group(1);
  }
}
