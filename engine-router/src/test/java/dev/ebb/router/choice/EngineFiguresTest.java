package dev.ebb.router.choice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineFiguresTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "ebb_num_requests_running 3.0;ebb_num_requests_waiting 2.0;ebb_kv_capacity_tokens 4096.0"
            + " | 5 | 4096",
        "vllm:num_requests_running{engine=\"0\"} 3.0;vllm:num_requests_running{engine=\"1\"} 1.0;"
            + "vllm:cache_config_info{block_size=\"16\",num_cpu_blocks=\"0\",num_gpu_blocks=\"100\"} 1.0"
            + " | 4 | 1600",
        "sglang:num_running_reqs{a=\"b c\"} 3;sglang:max_total_num_tokens 77 | 3 | 77",
        "llamacpp:requests_processing 1;llamacpp:requests_deferred 4 | 5 | Infinity",
        "# HELP ebb_num_requests_running 7;ebb_num_requests_running x;other 1 | 0 | Infinity"
      })
  void areReadFromTheMetricsOfEngines(String metrics, int load, double tokens) {
    EngineFigures figures =
        EngineFigures.of("process_start_time_seconds 1.5E9\n" + metrics.replace(';', '\n'));
    assertThat(figures).isEqualTo(new EngineFigures(1.5e9, load, tokens));
  }
}
