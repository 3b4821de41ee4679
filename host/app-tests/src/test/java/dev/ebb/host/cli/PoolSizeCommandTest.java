package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolSizeCommandTest {

  @Test
  void llama3Takes128KibiBytesAToken() {
    Run run = Run.of("pool", "size", "--model", "llama-3-8b", "--tokens", "8192");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualToNormalizingNewlines(
            """
            model          Llama-3-8B: 32 layers x 8 KV heads x 128 elements, fp16
            token          128 KiB (131,072 bytes)
            block          2 MiB (2,097,152 bytes), 16 tokens
            8,192 tokens   1 GiB (1,073,741,824 bytes), 512 blocks
            """);
  }

  @Test
  void jsonSaysWhatFitsInAPool() {
    Run run =
        Run.of(
            "pool",
            "size",
            "--layers",
            "80",
            "--kv-heads",
            "64",
            "--head-dim",
            "128",
            "--block-tokens",
            "1",
            "--pool-size",
            "1 GiB",
            "--json");

    assertThat(run.out().strip())
        .isEqualTo(
            "{\"model\":\"custom\",\"layers\":80,\"kvHeads\":64,\"headDim\":128,\"dtype\":\"fp16\","
                + "\"blockTokens\":1,\"tokenBytes\":2621440,\"blockBytes\":2621440,"
                + "\"poolBlocks\":409,\"poolTokens\":409}");
  }

  @Test
  void oneIsOne() {
    assertThat(
            Run.of(
                    "pool",
                    "size",
                    "--model",
                    "Llama-3-8B",
                    "--block-tokens",
                    "1",
                    "--tokens",
                    "1",
                    "--pool-size",
                    "128 KiB")
                .out())
        .contains("(131,072 bytes), 1 token\n")
        .contains("1 token        128 KiB (131,072 bytes), 1 block\n")
        .contains("1 block, 1 token\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --model Llama-3-9B | did you mean 'Llama-3-8B'?
          --dtype fp16 | no model; give --model
          --model Llama-3-8B --dtype fp61 | dtype 'fp61' (did you mean 'fp16'?) must be fp32, fp16, bf16 or opaque:
          --model Llama-3-8B --pool-size 8 | --pool-size '8' must be a whole number of bytes
          --model Llama-3-8B --pool-size 8EiB | '8EiB' must be a whole number of bytes, less than 8 EiB
          --model Llama-3-8B --tokens -1 | --tokens '-1' must be 0 or more
          --model Llama-3-8B --tokens 9223372036854775807 | would take 8 EiB or more
          --model Llama-3-8B --block-tokens 99999999 | must be smaller than 2 GiB
          --model Llama-3-8B --layers 0 | layers '0' must be at least 1
          """)
  void aWrongValueIsReportedAsWrongUsage(String options, String message) {
    Run run = Run.of(("pool size " + options).split(" ", -1));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("ebb pool size: ").contains(message).doesNotContain("\tat ");
    assertThat(run.out()).isEmpty();
  }
}
