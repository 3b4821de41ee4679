package dev.ebb.host.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.DiskAdmissionChoice;
import org.junit.jupiter.api.Test;

/** Which evicted values are written. */
class WriteAdmissionTest {

  @Test
  void allAreWritten() {
    assertThat(WriteAdmission.of(DiskAdmissionChoice.ALL).admits(7, 1)).isTrue();
  }

  @Test
  void onlyWhatWasUsedAgainOrEvictedBeforeIsWritten() {
    WriteAdmission admission = WriteAdmission.of(DiskAdmissionChoice.SECOND_USE);
    assertThat(admission.admits(7, 2)).isTrue();
    assertThat(admission.admits(8, 1)).isFalse();
    assertThat(admission.admits(9, 1)).isFalse();
    assertThat(admission.admits(8, 1)).isTrue();
  }
}
