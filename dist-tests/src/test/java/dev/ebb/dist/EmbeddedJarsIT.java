package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JARs that a program with Ebb in it needs: no more than docs/embedding.md lists. */
class EmbeddedJarsIT {

  private static final int MOST_JARS = 8;
  private static final Path JARS = Ebb.ROOT.resolve("host/embedded/target/embedded");

  @TempDir private Path folder;

  private static List<Path> jars() throws IOException {
    try (Stream<Path> files = Files.list(JARS)) {
      return files.sorted().toList();
    }
  }

  private static String block(String page, String language, String part) throws IOException {
    String text = Files.readString(Ebb.ROOT.resolve("docs").resolve(page));
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(text);
    while (block.find()) {
      if (block.group(1).contains(part)) {
        return block.group(1).strip();
      }
    }
    throw new AssertionError("no block of '%s' with '%s' in %s".formatted(language, part, page));
  }

  private static String source(String program) throws IOException {
    return Files.readString(Ebb.ROOT.resolve("examples/engines").resolve(program + ".java"));
  }

  @Test
  void thePageListsTheClassPath() throws IOException {
    List<String> names =
        jars().stream()
            .map(jar -> String.valueOf(jar.getFileName()).replaceAll("-[0-9].*", ""))
            .toList();

    assertThat(names).hasSizeLessThanOrEqualTo(MOST_JARS);
    assertThat(names)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.asList(block("embedding.md", "text", "ebb-embedded").split("\\s+", -1)));
  }

  @ParameterizedTest
  @CsvSource({
    "embedding.md,TinyEngine,matched",
    "tokens.md,EndlessEngine,position",
    "scheduler.md,BatchingEngine,matched"
  })
  void theProgramOnThePageRunsWithThem(String page, String program, String printed)
      throws IOException, InterruptedException {
    assertThat(run(program, source(program))).isEqualTo(block(page, "text", printed));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "admin.enabled = true; ebb.admin.enabled; ebb-admin",
        "eviction.log = true; ebb.eviction.log; logback-core"
      })
  void whatNeedsAnotherJarNamesIt(String setting, String key, String artifact)
      throws IOException, InterruptedException {
    String source =
        source("TinyEngine")
            .replace("withSettings(\"ebb {", "withSettings(\"ebb { " + setting + ",");

    assertThat(run("TinyEngine", source)).contains(key + " 'true'", artifact);
  }

  /** Compiles a program and runs it, with these JARs and nothing else. */
  private String run(String program, String source) throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve(program + ".java"), source);
    Process process =
        CompiledProgram.of(file, folder, CompiledProgram.jars(JARS))
            .process("-Dslf4j.internal.verbosity=ERROR", program, Ebb.ROOT.toString())
            .redirectErrorStream(true)
            .start();
    try (InputStream out = process.getInputStream()) {
      String text = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
      process.waitFor();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }
}
