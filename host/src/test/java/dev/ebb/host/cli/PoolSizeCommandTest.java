package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
  void wrongValuesAreToldInWords() {
    assertThat(Run.of("pool", "size", "--model", "Llama-3-9B").err())
        .startsWith("ebb: unknown model 'Llama-3-9B'; known: [")
        .contains("did you mean 'Llama-3-8B'?");
    assertThat(Run.of("pool", "size").err()).contains("no model; give --model");
    assertThat(Run.of("pool", "size", "--model", "Llama-3-8B", "--dtype", "fp61").err())
        .contains("dtype 'fp61' must be fp32, fp16, bf16 or opaque:");
    assertThat(Run.of("pool", "size", "--model", "Llama-3-8B", "--pool-size", "8").err())
        .contains("--pool-size '8' must be a whole number of bytes with its unit");
    assertThat(
            Run.of("pool", "size", "--model", "Llama-3-8B", "--tokens", "9223372036854775807")
                .err())
        .contains("would take 8 EiB or more");
    assertThat(Run.of("pool", "size", "--model", "Llama-3-8B", "--block-tokens", "99999999").err())
        .contains("must be smaller than 2 GiB");
  }
}
