package dev.ebb.host.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ForeignNamesTest {

  private static final Map<String, ForeignNames> KINDS =
      Map.of(
          "key",
          ForeignNames.KEY,
          "policy",
          ForeignNames.POLICY,
          "token policy",
          ForeignNames.TOKEN_POLICY);

  @ParameterizedTest
  @CsvSource({
    "key, maxmemory-policy, ebb.eviction.policy",
    "key, gpu_memory_utilization, ebb.pool.size",
    "key, --mem-fraction-static, ebb.pool.size",
    "key, max_local_cpu_size, ebb.pool.size",
    "policy, allkeys-lru, lru",
    "policy, ALLKEYS_LFU, lfu",
    "policy, qos_aware, priority",
    "token policy, sliding, sliding-window",
    "token policy, StreamingLLM, sliding-window"
  })
  void aNameOfOtherSoftwareHasEbbsName(String what, String foreign, String own) {
    ForeignNames kind = Objects.requireNonNull(KINDS.get(what));

    assertThat(kind.name(foreign)).contains(own);
    assertThat(kind.hint(foreign)).contains("'" + own + "'");
  }

  @Test
  void aNameWithoutCounterpartIsExplained() {
    assertThat(ForeignNames.KEY.name("kv_cache_dtype")).isEmpty();
    assertThat(ForeignNames.KEY.hint("kv_cache_dtype")).contains("engine");
    assertThat(ForeignNames.KEY.hint("remote_serde")).contains("LMCache");
    assertThat(ForeignNames.KEY.hint("defrag-anything")).contains("ebb.pool.defrag");
    assertThat(ForeignNames.POLICY.hint("optimum")).contains("'ebb replay'");
    assertThat(ForeignNames.POLICY.hint("all")).contains("--policies");
  }

  @Test
  void otherNamesGetTheNearestOfEbbs() {
    assertThat(ForeignNames.POLICY.hint("lur", List.of("lru", "arc"))).contains("'lru'");
    assertThat(ForeignNames.POLICY.hint("nothing-like-it", List.of("lru"))).isEmpty();
    assertThat(ForeignNames.TOKEN_POLICY.hint("allkeys-lru")).isEmpty();
  }
}
