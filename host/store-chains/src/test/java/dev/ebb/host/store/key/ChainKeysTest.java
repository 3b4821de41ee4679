package dev.ebb.host.store.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChainKeysTest {

  @ParameterizedTest
  @CsvSource({
    "auto, m@1@0@a1b2@half, true",
    "auto, m@1@0@a1b2@halfmetadata, true",
    "auto, m@100a100a@c@a1b2c3, true",
    "auto, sglang:1, false",
    "off, m@1@0@a1b2@half, false",
    "*, m@1@0@a1b2@half, true",
    "*, k, true",
    "sglang:*, sglang:1, true",
    "sglang:*, SGLANG:1, false",
    "sglang:*, m@1@0@a1b2@half, false",
    "sglang, sglang:1, false",
    "page-[0-9], page-7, true",
  })
  void theConfigurationSelectsKeys(String text, String key, boolean covered) {
    assertThat(ChainKeys.of(text).covers(bytes(key))).isEqualTo(covered);
  }

  @Test
  void severalPatternsSelectTheKeysOfAny() {
    ChainKeys chained = ChainKeys.of(List.of("auto", "mykeys:*"));
    assertThat(chained.covers(bytes("m@1@0@a1b2@half"))).isTrue();
    assertThat(chained.covers(bytes("mykeys:1"))).isTrue();
    assertThat(chained.covers(bytes("others:1"))).isFalse();
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
