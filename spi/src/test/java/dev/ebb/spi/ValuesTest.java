package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ValuesTest {

  @Test
  void onlyWhatLeftForRoomWasForCapacity() {
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

  @Test
  void aContextSaysWhatItCannotGive() {
    PolicyContext context = new PolicyContext() {};
    assertThat(catchThrowableOfType(UnsupportedOperationException.class, context::clock))
        .hasMessage("clock");
  }

  @Test
  void theVersionIsSemantic() {
    assertThat(SpiVersion.current()).matches("\\d+\\.\\d+\\.\\d+");
  }
}
