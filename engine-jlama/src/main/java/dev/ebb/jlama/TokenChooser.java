package dev.ebb.jlama;

import dev.ebb.server.model.SamplerOptions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Chooses tokens by logits, deterministically by the seed. For one answer. */
final class TokenChooser {

  private final SamplerOptions options;
  private final Random random;
  private final Set<Integer> seen = new HashSet<>();
  private final Map<Integer, Integer> generated = new HashMap<>();

  /** Creates a chooser for the answer to a prompt, which counts for the repetition penalty. */
  TokenChooser(SamplerOptions options, int... prompt) {
    this.options = options;
    random = new Random(options.seed());
    Arrays.stream(prompt).forEach(seen::add);
  }

  /** Returns the next token, and leaves the logits as they are. */
  int next(float[] logits) {
    float[] penalized = penalize(logits);
    int token = options.isGreedy() ? likeliest(penalized) : draw(penalized);
    count(token);
    return token;
  }

  /** Takes a token that was chosen elsewhere, as if this had chosen it. */
  void accept(int token) {
    if (!options.isGreedy()) {
      random.nextDouble();
    }
    count(token);
  }

  private void count(int token) {
    seen.add(token);
    generated.merge(token, 1, Integer::sum);
  }

  private float[] penalize(float[] logits) {
    if (options.repetition() == 1 && !options.penalizes()) {
      return logits;
    }
    float[] penalized = logits.clone();
    if (options.repetition() != 1) {
      for (int token : seen) {
        float logit = penalized[token];
        penalized[token] = logit > 0 ? logit / options.repetition() : logit * options.repetition();
      }
    }
    generated.forEach(
        (token, count) -> penalized[token] -= options.presence() + count * options.frequency());
    return penalized;
  }

  private static int likeliest(float... logits) {
    int best = 0;
    for (int token = 1; token < logits.length; token++) {
      best = logits[token] > logits[best] ? token : best;
    }
    return best;
  }

  private int draw(float... logits) {
    int[] tokens = candidates(logits);
    float most = logits[tokens[0]];
    double[] weights = new double[tokens.length];
    for (int i = 0; i < tokens.length; i++) {
      weights[i] = Math.exp((logits[tokens[i]] - most) / options.temperature());
    }
    int count = nucleus(weights);
    double left = random.nextDouble() * Arrays.stream(weights, 0, count).sum();
    for (int i = 0; i < count; i++) {
      left -= weights[i];
      if (left < 0) {
        return tokens[i];
      }
    }
    return tokens[count - 1];
  }

  /** Returns the tokens to choose from, likeliest first. */
  private int[] candidates(float... logits) {
    int count = options.topK() == 0 ? logits.length : Math.min(options.topK(), logits.length);
    return IntStream.range(0, logits.length)
        .boxed()
        .sorted(Comparator.comparingDouble(token -> -logits[token]))
        .limit(count)
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** Returns how many of the first weights make up the probability {@code top_p}. */
  private int nucleus(double... weights) {
    double wanted = options.topP() * Arrays.stream(weights).sum();
    double sum = 0;
    int count = 0;
    while (count < weights.length && (count == 0 || sum < wanted)) {
      sum += weights[count++];
    }
    return count;
  }
}
