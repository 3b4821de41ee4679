package dev.ebb.host.enginebench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.enginebench.EngineServer.ServerCounters;
import org.junit.jupiter.api.Test;

class ServerCountersTest {

  @Test
  void readsTheNamesOfVllmAndSumsTheirLabels() {
    ServerCounters counters =
        ServerCounters.of(
            """
            # HELP vllm:prompt_tokens_total Number of prefill tokens processed.
            # TYPE vllm:prompt_tokens_total counter
            vllm:prompt_tokens_total{engine="0",model_name="a"} 1.5e+03
            vllm:prompt_tokens_total{engine="1",model_name="a b"} 500
            vllm:prefix_cache_queries_total{engine="0"} 2000
            vllm:prefix_cache_hits_total{engine="0"} 600
            vllm:external_prefix_cache_hits_total{engine="0"} 40
            vllm:prefix_cache_hits_created{engine="0"} 1.7e+09
            """);

    assertThat(counters).isEqualTo(new ServerCounters(2000, 640, Double.NaN));
  }

  @Test
  void readsTheNamesOfSglangLlamaCppAndEbb() {
    assertThat(
            ServerCounters.of(
                "sglang:prompt_tokens_total{a=\"b\"} 10\n"
                    + "sglang:cached_tokens_total{a=\"}\"} 4\n"
                    + "sglang:cached_tokens_total{a=\"h\"} 2\n"))
        .isEqualTo(new ServerCounters(10, 6, Double.NaN));
    assertThat(ServerCounters.of("llamacpp:prompt_tokens_total 7\n"))
        .isEqualTo(new ServerCounters(Double.NaN, Double.NaN, 7));
    assertThat(ServerCounters.of("ebb_prompt_tokens_total 9 1\nebb_prefix_hit_tokens_total 3\n"))
        .isEqualTo(new ServerCounters(9, 3, Double.NaN));
  }

  @Test
  void otherTextHasNoCounters() {
    assertThat(ServerCounters.of("<html>\nvllm:prompt_tokens_total x\n"))
        .isEqualTo(ServerCounters.UNKNOWN);
  }

  @Test
  void theIncreaseIsUnknownAfterAReset() {
    ServerCounters before = new ServerCounters(100, Double.NaN, Double.NaN);
    assertThat(new ServerCounters(40, 5, Double.NaN).since(before))
        .isEqualTo(new ServerCounters(Double.NaN, 5, Double.NaN));
  }
}
