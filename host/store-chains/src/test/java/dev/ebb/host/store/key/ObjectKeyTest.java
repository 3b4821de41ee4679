package dev.ebb.host.store.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectKeyTest {

  /** The reference implementation's vectors: key 00..0f, input 00, 01, ... */
  @ParameterizedTest
  @CsvSource({"0, a3817f04ba25a8e66df67214c7550293", "1, da87c1d86b99af44347659119b22fc45"})
  void agreesWithTheReference(int length, String expected) {
    byte[] input = new byte[length];
    for (int i = 0; i < length; i++) {
      input[i] = (byte) i;
    }
    ObjectKey key =
        new ObjectKey(
            input,
            KeyLabels.NONE,
            false,
            false,
            0x0706050403020100L,
            0x0F0E0D0C0B0A0908L,
            input,
            length);
    HexFormat hex = HexFormat.of();
    String actual =
        hex.toHexDigits(Long.reverseBytes(key.low()))
            + hex.toHexDigits(Long.reverseBytes(key.high()));
    assertThat(actual).isEqualTo(expected);
  }

  @Test
  void keysWithAndWithoutAColonBeforeTheirSuffixAreThoseOfDifferentChunks() {
    KeyParser parser = new KeyParser(7, _ -> 0, List.of(), ChainKeys.AUTO, new Models(Map.of()));
    ObjectKey bytes = parser.parse("a:kv_bytes".getBytes(StandardCharsets.UTF_8));
    ObjectKey metadata = parser.parse("a:metadata".getBytes(StandardCharsets.UTF_8));
    ObjectKey other = parser.parse("ametadata".getBytes(StandardCharsets.UTF_8));

    assertThat(metadata.belongsTo(bytes)).isTrue();
    assertThat(other.belongsTo(bytes)).isFalse();
    assertThat(other.low()).isNotEqualTo(metadata.low());
  }
}
