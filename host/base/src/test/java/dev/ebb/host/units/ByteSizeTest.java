package dev.ebb.host.units;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {

  @ParameterizedTest
  @CsvSource({
    "8 GiB, 8589934592",
    "1.5MiB, 1572864",
    "500 MB, 500000000",
    "0 B, 0",
    "7 eib, 8070450532247928832"
  })
  void readsNumberAndUnit(String text, long bytes) {
    assertThat(ByteSize.parse(text)).hasValue(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8", "", "GiB", "-1 GiB", "8 GiBs", "0.3 B", "9 EiB", "60 %"})
  void refusesTheRest(String text) {
    assertThat(ByteSize.parse(text)).isEmpty();
  }

  @Test
  void writesTheLargestUnit() {
    assertThat(ByteSize.format(0)).isEqualTo("0 B");
    assertThat(ByteSize.format(1023)).isEqualTo("1023 B");
    assertThat(ByteSize.format(1536)).isEqualTo("1.5 KiB");
    assertThat(ByteSize.format(8L << 30)).isEqualTo("8 GiB");
    assertThat(ByteSize.format(Long.MAX_VALUE)).isEqualTo("8 EiB");
  }
}
