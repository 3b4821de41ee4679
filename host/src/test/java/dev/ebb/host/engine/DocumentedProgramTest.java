package dev.ebb.host.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicy;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/embedding.md shows compiles, runs, and prints what the page says. */
class DocumentedProgramTest {

  private static final Path PAGE = Path.of("..", "docs", "embedding.md");

  @TempDir private Path folder;

  @Test
  void theProgramOnThePagePrintsWhatThePageSays() throws Exception {
    String page = Files.readString(PAGE);
    Path source = Files.writeString(folder.resolve("TinyEngine.java"), block(page, "java"));
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(folder), "acme.jar");
    String classPath = home(Ebb.class) + File.pathSeparator + home(BlockPolicy.class);
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
          .loadClass("TinyEngine")
          .getMethod("run", Path.class, PrintStream.class)
          .invoke(null, folder, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    assertThat(printed.toString(StandardCharsets.UTF_8).strip())
        .isEqualToNormalizingNewlines(block(page, "text").strip());
  }

  private static String home(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private static String block(String page, String language) {
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).as("a block of %s", language).isTrue();
    return block.group(1);
  }
}
