package dev.ebb.llama.generate;

import dev.ebb.host.errors.UserError;
import dev.ebb.llama.binding.Sampler;
import picocli.CommandLine.Option;

/** The options of token sampling. */
final class SamplingGroup {

  @Option(
      names = "--temperature",
      paramLabel = "T",
      defaultValue = "0",
      description = "0 takes the most likely token; above it, tokens are drawn at random")
  private double temperature;

  @Option(
      names = "--top-k",
      paramLabel = "K",
      defaultValue = "40",
      description = "Draws from this many most likely tokens; 0 for all")
  private int topK;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the sampling, and of the policy")
  private int seed;

  int seed() {
    return seed;
  }

  void check() {
    if (!(temperature >= 0 && temperature <= Float.MAX_VALUE)) {
      throw new UserError("--temperature: '%s' must be 0 or more".formatted(temperature));
    } else if (topK < 0) {
      throw new UserError("--top-k: '%d' must be 0 or more".formatted(topK));
    }
  }

  Sampler open() {
    return temperature < Float.MIN_NORMAL
        ? Sampler.greedy()
        : Sampler.random((float) temperature, topK, seed);
  }
}
