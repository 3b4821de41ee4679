package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {

  @Test
  void onlyEvictionsAreForCapacity() {
    assertThat(Arrays.stream(RemovalCause.values()).filter(RemovalCause::forCapacity))
        .containsExactlyInAnyOrder(
            RemovalCause.EVICTED, RemovalCause.DEMOTED, RemovalCause.NOT_ADMITTED);
  }

  @Test
  void aPredictionSaysNothingUntilSet() {
    Prediction prediction = new Prediction();
    assertThat(prediction.confidence()).isZero();
    assertThat(prediction.remainingSeconds()).isZero();
    prediction.set(12.5, 0.25);
    assertThat(prediction.remainingSeconds()).isEqualTo(12.5);
    assertThat(prediction.confidence()).isEqualTo(0.25);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, -1e-300, Double.NaN, Double.POSITIVE_INFINITY})
  void aPredictionIsFiniteAndNotNegative(double seconds) {
    Prediction prediction = new Prediction();
    prediction.set(12.5, 0.25);

    assertThat(
            catchThrowableOfType(IllegalArgumentException.class, () -> prediction.set(seconds, 0)))
        .hasMessage("remainingSeconds is '%s', and must be finite and at least 0", seconds);
    assertThat(prediction.remainingSeconds()).isEqualTo(12.5);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.000001, 85, Double.NaN, Double.NEGATIVE_INFINITY})
  void aConfidenceIsAShare(double confidence) {
    Prediction prediction = new Prediction();
    prediction.set(12.5, 0.25);

    assertThat(
            catchThrowableOfType(
                IllegalArgumentException.class, () -> prediction.set(1, confidence)))
        .hasMessage("confidence is '%s', and must be from 0 to 1", confidence);
    assertThat(prediction.remainingSeconds()).isEqualTo(12.5);
    assertThat(prediction.confidence()).isEqualTo(0.25);
  }

  @Test
  void theEdgesOfAPredictionAreAllowed() {
    Prediction prediction = new Prediction();
    prediction.set(0, 1);
    prediction.set(Double.MAX_VALUE, 0);
    assertThat(prediction.remainingSeconds()).isEqualTo(Double.MAX_VALUE);
  }

  @Test
  void aContextSaysWhatItCannotGive() {
    PolicyContext context = new PolicyContext() {};
    assertThat(catchThrowableOfType(UnsupportedOperationException.class, context::clock))
        .hasMessage("clock");
  }

  @Test
  void theVersionIsTheArtifacts() throws IOException {
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("<artifactId>ebb-spi</artifactId>")
        .containsPattern("\\n  <version>" + Pattern.quote(SpiVersion.current()) + "</version>");
    assertThat(Files.readString(Path.of("../pom.xml")))
        .contains("<ebb.spi.version>" + SpiVersion.current() + "</ebb.spi.version>");
    assertThat(SpiVersion.current()).matches("\\d+\\.\\d+\\.\\d+");
  }
}
