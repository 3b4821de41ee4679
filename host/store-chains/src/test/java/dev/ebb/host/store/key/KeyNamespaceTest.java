package dev.ebb.host.store.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys of LMCache 0.5.6, of its multiprocess mode, and of Ebb's backends for vLLM and SGLang. */
class KeyNamespaceTest {

  private static final String HASH =
      "cf97adeedb59e05bfd73a2b4c2a8885708c4f4f70c84c64b27120e72ab733b72";

  @ParameterizedTest
  @CsvSource({
    "m@8@3@a1b2@bfloat16, m,,,",
    "m@8@3@a1b2@bfloat16@lora%sqlkv_bytes, m, sql,,",
    "m@8@3@a1b2@half@31@lora%sql-v2@user%alicemetadata, m, sql-v2, user%alice,",
    "m@8@3@a1b2@half@user%alice@team%x, m,, 'user%alice,team%x',",
    "m@04030403@1@a1b2c3d4e5f6@acme, m,, acme,",
    "m@04030403@1@a1b2c3d4e5f6@lora%sql, m, sql,,",
    "m@04030403@1@a1b2c3d4e5f6, m,,,",
    "blue@m@04030403@1@a1b2c3d4e5f6@acme, m,, acme,",
    "blue@my/m@04030403@1@a1b2c3d4e5f6@lora%sql, my/m, sql,,",
    "m@5@0@a1b2@acme, m,, acme,",
    "HASH_m_0_1@0123456789ab, m,,, 0123456789ab",
    "HASH_my_m_1_2@0123456789ab@lora%sql/v1, my_m, sql/v1,, 0123456789ab",
    "HASH.2_m_0_1@0123456789ab@lora%a%40b, m, a%40b,, 0123456789ab",
    "HASH_m_0_1, m,,,",
    "plain,,,,",
    "a@b,,,,",
  })
  void aKeyNamesAdapterSaltAndDeployment(
      String key, String model, String lora, String salt, String deployment) {
    assertThat(KeyNamespace.of(bytes(key)))
        .isEqualTo(new KeyNamespace(model, lora, salt, deployment));
  }

  @Test
  void theSameTokensHaveAnEntryInEachNamespace() {
    KeyParser parser =
        new KeyParser(1, tenant -> 0, List.of(), ChainKeys.AUTO, new Models(Map.of()));
    for (String base :
        List.of(
            "m@2@0@a1b2@half",
            "m@02000200@0@a1b2c3d4e5",
            "blue@m@02000200@0@a1b2c3d4e5",
            HASH + "_m_0_2@0123456789ab")) {
      List<ObjectKey> keys =
          List.of(base, base + "@lora%a", base + "@lora%b").stream()
              .map(key -> parser.parse(bytes(key)))
              .toList();
      assertThat(keys.stream().map(ObjectKey::low).distinct()).hasSize(3);
      for (ObjectKey key : keys) {
        assertThat(key.labels().facts().workload()).isEqualTo("m");
        assertThat(key.labels().rank()).isZero();
        assertThat(key.isChained()).isTrue();
        // The other rank's part belongs to the chunk of the same namespace.
        String text = new String(key.bytes(), StandardCharsets.UTF_8);
        String other =
            text.replace("@2@0@", "@2@1@")
                .replace("@02000200@", "@02010201@")
                .replace("_0_2", "_1_2");
        assertThat(parser.parse(bytes(other)).low()).isEqualTo(key.low());
      }
    }
  }

  private static byte[] bytes(String key) {
    return key.replace("HASH", HASH).getBytes(StandardCharsets.UTF_8);
  }
}
