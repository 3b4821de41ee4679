package dev.ebb.host.plugin.jar;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VersionRangeTest {

  private static VersionRange range(String text) {
    return requireNonNull(VersionRange.parse(text), text);
  }

  @ParameterizedTest
  @CsvSource({
    ">=1.0.0 & <2.0.0, 1.0.0 1.9.9 2.0.0-rc.1, 0.9.9 1.0.0-rc.1 2.0.0",
    ">1.0 & <=1.2, 1.0.1 1.2.0, 1.0.0 1.2.1",
    "=1.0.0, 1.0.0 1.0.0+build, 1.0.1",
    "!=1.0.0 & >=0.9, 0.9.0 1.0.1, 1.0.0 0.8.9",
    "^1.2.3, 1.2.3 1.9.0, 1.2.2 2.0.0",
    "^0.2.3, 0.2.3 0.2.9, 0.2.2 0.3.0 1.0.0",
    "^0.0.3, 0.0.3, 0.0.4 0.0.2",
    "~1.2.3, 1.2.3 1.2.9, 1.2.2 1.3.0",
    "~1, 1.0.0 1.9.9, 0.9.9 2.0.0",
    "1.x, 1.0.0 1.9.9, 0.9.9 2.0.0",
    "1.2.*, 1.2.0 1.2.9, 1.3.0",
    "1 - 2, 1.0.0 2.0.0, 0.9.9 2.0.1",
    "3 - 1, '', 0.9.9 2.0.0 3.0.0",
    "1.x | 3.x, 1.0.0 3.9.9, 2.0.0 4.0.0",
    "*, 0.0.0 9.9.9, ''"
  })
  void holdsTheVersionsItSays(String text, String inside, String outside) {
    assertThat(versions(inside)).allMatch(range(text)::contains);
    assertThat(versions(outside)).noneMatch(range(text)::contains);
  }

  private static Stream<SemanticVersion> versions(String text) {
    return text.isEmpty() ? Stream.of() : Stream.of(text.split(" ", -1)).map(SemanticVersion::of);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "&",
        ">=1.0.0 &",
        "<<",
        "latest",
        "1.0.0, 2.0.0",
        "1.x.0",
        "1.2.3.4",
        ">1 - 2"
      })
  void whatIsNoRangeIsNotRead(String text) {
    assertThat(VersionRange.parse(text)).isNull();
  }

  @Test
  void manyConditionsTakeNoTime() {
    String many = "!=1.0.0 & ".repeat(2_000) + "!=1.0.1";
    assertThat(range(many).contains(SemanticVersion.of("1.0.2"))).isTrue();
  }

  @Test
  void versionsAreInTheOrderOfTheSpecification() {
    List<String> ordered =
        List.of(
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.0a",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.10.0",
            "2.0.0");
    assertThat(ordered.stream().map(SemanticVersion::of).sorted())
        .containsExactlyElementsOf(ordered.stream().map(SemanticVersion::of).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "1.0",
        "1.0.0.0",
        "01.0.0",
        "1.0.0-",
        "1.0.0-01",
        "1.0.0-a..b",
        "1.0.0+",
        "v1.0.0"
      })
  void whatIsNoVersionIsNotRead(String text) {
    assertThat(SemanticVersion.parse(text)).isNull();
  }
}
