package dev.ebb.host.replay.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFileTest {

  private static final String CHAT = ProfileFile.write(FittedTraceTest.fit(Shape.CHAT).profile());

  @TempDir private Path folder = Path.of("");

  @Test
  void aProfileThatIsReadIsTheOneWritten() throws IOException {
    ReuseProfile profile = FittedTraceTest.fit(Shape.AGENT).profile();
    String text = ProfileFile.write(profile);
    ReuseProfile read = ProfileFile.read(Files.writeString(folder.resolve("p.json"), text));

    assertThat(ProfileFile.write(read)).isEqualTo(text);
    assertThat(read.classes()).isEqualTo(profile.classes());
    try (FittedTrace one = new FittedTrace(profile, 1_000, 0, 0, 1);
        FittedTrace other = new FittedTrace(read, 1_000, 0, 0, 1)) {
      while (one.next()) {
        assertThat(other.next()).isTrue();
        assertThat(other.request().blocks()).isEqualTo(one.request().blocks());
        assertThat(other.request().timestampNanos()).isEqualTo(one.request().timestampNanos());
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"version\":1             | \"version\":2              | version is '2'",
        "ebb-reuse-profile         | other                      | 'format' is not",
        "\"requests\":4000         | \"requests\":0             | 'requests' is '0'",
        "\"blockTokens\":16        | \"blockTokens\":-1         | 'blockTokens' is '-1'",
        "\"classes\":[[            | \"classes\":[[1,2],[       | 'classes' has '[1, 2]'",
        "\"classes\":[[            | \"classes\":[[0,2,0,0,0,0,5],[ | 'classes' has '[0, 2, 0, 0,"
            + " 0, 0, 5]'",
        "\"classes\":[[            | \"classes\":[[0,0,0,0,0,0,5],[ | 'tokensWithoutBlocks' is"
            + " empty",
        "\"newBlocks\":[[          | \"newBlocks\":[[-1,1],[    | 'newBlocks' has '[-1, 1]'",
        "\"newBlocks\":            | \"oldBlocks\":             | 'newBlocks' is missing",
        "{\"format\"               | nothing                    | not JSON of that form",
      })
  void aWrongProfileIsRefused(String part, String wrong, String message) throws IOException {
    assertThat(CHAT).contains(part);
    Path file = Files.writeString(folder.resolve("p.json"), CHAT.replace(part, wrong));

    assertThatThrownBy(() -> ProfileFile.read(file))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'" + file + "'", message, "ebb fit TRACE --output FILE");
  }

  @Test
  void aFileThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> ProfileFile.read(folder.resolve("none.json")))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("none.json'", "does not exist", "ebb fit TRACE --output FILE");
  }
}
