package dev.ebb.host.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockHashTest {

  private static long hash(String key) {
    return new BlockHash().of(key.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "m@1@0@1f@half, 1f",
    "org/model@8@3@FEDCBA9876543210@bfloat16kv_bytes, fedcba9876543210",
    "m@1@0@-1@half, ffffffffffffffff",
    "m@1@0@00112233445566778899aabbccddeeff@salt, 8899aabbccddeeff",
    "m@100a100a@c@00112233445566778899aabbccddeeff, 8899aabbccddeeff",
    "m@08070807@a3f1c29be0447d15@salt, a3f1c29be0447d15",
    "vllm@m@1@0@a3f1c29be0447d15, a3f1c29be0447d15",
    "a@b@1@0@a3f1c29be0447d15@half, a3f1c29be0447d15",
  })
  void isTheChunkHashOfAKeyOfLmcache(String key, String hash) {
    assertThat(hash(key)).isEqualTo(Long.parseUnsignedLong(hash, 16));
  }

  /** The numbers are those of Python: {@code int.from_bytes(sha256(key).digest()[-8:], "big")}. */
  @ParameterizedTest
  @CsvSource({
    "abc, b410ff61f20015ad",
    "m@1@0@1f, 0df11c74bebe733a",
    "m@1@0@xyz@half, 79919fff6eb4a70a",
    "m@1@0@@half, 3ace90672cd5c2b1",
    "m@1@0@-@half, b4f021dd24b0c7a7",
    "@1@0@1f@half, d05122ae4069cc3d",
    "m@one@0@1f@half, 5e7a2d89be401b3a",
  })
  void isTheEndOfTheSha256OfAnyOtherKey(String key, String hash) {
    assertThat(hash(key)).isEqualTo(Long.parseUnsignedLong(hash, 16));
  }

  /** As hash_str_to_int64 of SGLang does, of which two pools of a page are not one block. */
  @Test
  void isTheStartOfThePageHashOfAKeyOfSglang() {
    String page = "fedcba9876543210" + "ab".repeat(24);
    assertThat(hash(page + "_m_0_2")).isEqualTo(0xfedcba9876543210L);
    assertThat(hash(page + "_m_1_2")).isEqualTo(0xfedcba9876543210L);
    assertThat(hash(page + ".mamba_m_0_2")).isNotEqualTo(0xfedcba9876543210L);
  }

  @Test
  void theKeysOfOneChunkHaveOneHash() {
    assertThat(hash("m@2@0@ab12@halfkv_bytes")).isEqualTo(hash("m@2@1@ab12@halfkv_bytes"));
  }
}
