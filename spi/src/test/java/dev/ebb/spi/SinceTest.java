package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every public type that authors see says since when it is there. */
class SinceTest {

  private static final Pattern PUBLIC_TYPE =
      Pattern.compile(
          "(?s)(/\\*\\*(?:(?!\\*/).)*\\*/\\s*)?(?:@\\w+(?:\\([^)]*\\))?\\s+)*"
              + "public (?:(?:abstract|final|sealed|non-sealed|static) )*"
              + "(?:class|interface|enum|record) (\\w+)");

  @ParameterizedTest
  @ValueSource(strings = {"src/main/java", "../spi-testkit/src/main/java"})
  void everyPublicTypeHasIt(String sources) throws IOException {
    List<String> seen = new ArrayList<>();
    List<String> without = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of(sources))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        PUBLIC_TYPE
            .matcher(Files.readString(file))
            .results()
            .forEach(found -> {
              seen.add(found.group(2));
              if (found.group(1) == null || !found.group(1).contains("@since ")) {
                without.add(found.group(2));
              }
            });
      }
    }

    assertThat(seen).hasSizeGreaterThan(10);
    assertThat(without).isEmpty();
  }
}
