package dev.ebb.host.store.key;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys of pages of SGLang. The hashes are those of get_hash_str for the tokens 1 to 4 and 5 to 8,
 * of sgl-project/sglang bb424de23a4659f89cfd97dcad3aa1935a1e1d3e; the suffixes are those of
 * HiCacheFile of 001067fffe33427bee0ed2f007fb7551a1d76b44, both in hicache_storage.py.
 */
class PageKeyTest {

  private static final String FIRST =
      "cf97adeedb59e05bfd73a2b4c2a8885708c4f4f70c84c64b27120e72ab733b72";
  private static final String SECOND =
      "4ebfa8a1f3c341517621838c6e1b9aa350307e3f00b3cbd1a07ef740f54396d6";

  private final KeyParser parser =
      new KeyParser(1, tenant -> 0, List.of(), ChainKeys.AUTO, new Models(Map.of()));

  @ParameterizedTest
  @CsvSource({
    "_meta-llama-Llama-3.1-8B-Instruct_0_1, meta-llama-Llama-3.1-8B-Instruct, 0, 1",
    "_meta-llama-Llama-3.1-8B-Instruct_3_8, meta-llama-Llama-3.1-8B-Instruct, 3, 8",
    "_meta-llama-Llama-3.1-8B-Instruct_3_8_2_1, meta-llama-Llama-3.1-8B-Instruct, 3, 8",
    "_deepseek-ai-DeepSeek-V3.2-Exp, deepseek-ai-DeepSeek-V3.2-Exp, 0, 1",
    "_deepseek-ai-DeepSeek-V3.2-Exp_4_1, deepseek-ai-DeepSeek-V3.2-Exp, 0, 1",
    "_deepseek-ai-DeepSeek-V3.2-Exp_cp2_4, deepseek-ai-DeepSeek-V3.2-Exp, 0, 1",
    "_my_model_7b_1_2_2_1_cp1_2, my_model_7b, 1, 2",
    ".mamba_meta-llama-Llama-3.1-8B-Instruct_0_2, meta-llama-Llama-3.1-8B-Instruct, 0, 2",
    ".deepseek_v4_c4_indexer_deepseek-ai-DeepSeek-V4, deepseek-ai-DeepSeek-V4, 0, 1",
    "_meta-llama-Llama-3.1-8B-Instruct_3_8@0123456789ab, meta-llama-Llama-3.1-8B-Instruct, 3, 8",
    "_my_model_7b_1_2_2_1_cp1_2@0123456789ab, my_model_7b, 1, 2",
    "_my@model_1_2, my@model, 1, 2",
    ".mamba_my_model_7b_1_2@0123456789ab, my_model_7b, 1, 2",
  })
  void aKeyNamesModelAndRank(String suffix, String model, int rank, int world) {
    for (String hash : new String[] {FIRST, SECOND}) {
      byte[] key = bytes(hash + suffix);
      KeyLabels labels = parser.parse(key).labels();
      assertThat(labels.facts().workload()).isEqualTo(model);
      assertThat(labels.rank()).isEqualTo(rank);
      assertThat(labels.facts().tenant()).isNull();
      LabelledKey parts = requireNonNull(LabelledKey.parse(key));
      assertThat(parts.world()).isEqualTo(world);
      assertThat(new String(key, parts.hashStart(), parts.hashEnd() - parts.hashStart(), US_ASCII))
          .isEqualTo(
              suffix.startsWith(".")
                  ? hash + suffix.split("_m|_deepseek-", 2)[0]
                  : hash.substring(0, 16));
      assertThat(parser.parse(key).isChained()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"__0_1", "_0_1", "_0_1_k", "_0_k", "_", "_cp0_2", ".mamba"})
  void aPageWithoutAModelIsStillAChunk(String suffix) {
    boolean chunk = !suffix.equals("_");
    assertThat(parser.parse(bytes(SECOND + suffix)).isChained()).isEqualTo(chunk);
  }

  @Test
  void ranksOfAPageDifferInOnePlace() {
    ObjectKey first = parser.parse(bytes(SECOND + "_m_0_2_2_1"));
    assertThat(parser.parse(bytes(SECOND + "_m_1_2_2_1")).low()).isEqualTo(first.low());
    assertThat(parser.parse(bytes(SECOND + "_m_0_2_2_0")).low()).isNotEqualTo(first.low());
    assertThat(parser.parse(bytes(FIRST + "_m_0_2_2_1")).low()).isNotEqualTo(first.low());
  }

  @ParameterizedTest
  @ValueSource(strings = {"_m_0_1@0123456789ab", "_m@0123456789ab", "_m_1_2_2_0_cp0_2", "_m"})
  void groupsAndRanksOfAPageHaveOneHash(String suffix) {
    ObjectKey first = parser.parse(bytes(SECOND + ".0" + suffix));
    for (int group : new int[] {1, 2, 15, 16, 63}) {
      String name = SECOND + "." + Integer.toHexString(group);
      ObjectKey other = parser.parse(bytes(name + suffix));
      assertThat(other.low()).isEqualTo(first.low());
      assertThat(other.labels().group()).isEqualTo(group);
      assertThat(other.labels().facts().workload()).isEqualTo("m");
      assertThat(other.isSharded()).isTrue();
      LabelledKey parts = requireNonNull(LabelledKey.parse(bytes(name + suffix)));
      assertThat(parts.hashEnd() - parts.hashStart()).isEqualTo(16);
      String rank = suffix.replace("_m_1_2", "_m_0_2");
      assertThat(parser.parse(bytes(name + rank)).low()).isEqualTo(first.low());
    }
    assertThat(parser.parse(bytes(FIRST + ".1" + suffix)).low()).isNotEqualTo(first.low());
    assertThat(parser.parse(bytes(SECOND + ".1" + suffix + "0")).low()).isNotEqualTo(first.low());
    assertThat(parser.parse(bytes(SECOND + ".40" + suffix)).isChained()).isTrue();
    assertThat(parser.parse(bytes(SECOND + ".40" + suffix)).low()).isNotEqualTo(first.low());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "/m_0_1", "a_m_0_1"})
  void anyOtherKeyIsPlain(String suffix) {
    byte[] key = bytes(SECOND + suffix);
    assertThat(parser.parse(key).labels()).isSameAs(KeyLabels.NONE);
    assertThat(parser.parse(key).isChained()).isFalse();
    byte[] shorter = bytes(SECOND.substring(1) + "_m_0_1");
    assertThat(parser.parse(shorter).isChained()).isFalse();
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
