package dev.ebb.host.pool;

import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import java.util.List;

/**
 * The KV shape of a published model, from its {@code config.json}. Models with multi-head latent
 * attention do not cache K and V heads and are not included.
 *
 * @param name as published, without the vendor
 * @param layers {@code num_hidden_layers}
 * @param kvHeads {@code num_key_value_heads}
 * @param headDim {@code head_dim}, or hidden size / attention heads
 */
public record KnownModel(String name, int layers, int kvHeads, int headDim) {

  private static final List<KnownModel> ALL =
      List.of(
          new KnownModel("Llama-2-7B", 32, 32, 128),
          new KnownModel("Llama-2-13B", 40, 40, 128),
          new KnownModel("Llama-2-70B", 80, 8, 128),
          new KnownModel("Llama-3-8B", 32, 8, 128),
          new KnownModel("Llama-3-70B", 80, 8, 128),
          new KnownModel("Llama-3.1-8B", 32, 8, 128),
          new KnownModel("Llama-3.1-70B", 80, 8, 128),
          new KnownModel("Llama-3.1-405B", 126, 8, 128),
          new KnownModel("Llama-3.2-1B", 16, 8, 64),
          new KnownModel("Llama-3.2-3B", 28, 8, 128),
          new KnownModel("Llama-3.3-70B", 80, 8, 128),
          new KnownModel("Mistral-7B", 32, 8, 128),
          new KnownModel("Mixtral-8x7B", 32, 8, 128),
          new KnownModel("Qwen2.5-0.5B", 24, 2, 64),
          new KnownModel("Qwen2.5-1.5B", 28, 2, 128),
          new KnownModel("Qwen2.5-3B", 36, 2, 128),
          new KnownModel("Qwen2.5-7B", 28, 4, 128),
          new KnownModel("Qwen2.5-14B", 48, 8, 128),
          new KnownModel("Qwen2.5-32B", 64, 8, 128),
          new KnownModel("Qwen2.5-72B", 80, 8, 128),
          new KnownModel("Qwen3-0.6B", 28, 8, 128),
          new KnownModel("Qwen3-1.7B", 28, 8, 128),
          new KnownModel("Qwen3-4B", 36, 8, 128),
          new KnownModel("Qwen3-8B", 36, 8, 128),
          new KnownModel("Qwen3-14B", 40, 8, 128),
          new KnownModel("Qwen3-32B", 64, 8, 128),
          new KnownModel("Qwen3-30B-A3B", 48, 4, 128),
          new KnownModel("Qwen3-235B-A22B", 94, 4, 128),
          new KnownModel("Gemma-2-2B", 26, 4, 256),
          new KnownModel("Gemma-2-9B", 42, 8, 256),
          new KnownModel("Gemma-2-27B", 46, 16, 128),
          new KnownModel("Phi-3-mini", 32, 32, 96),
          new KnownModel("Phi-3-medium", 40, 10, 128));

  /** Returns all known models, by family and size. */
  public static List<KnownModel> all() {
    return ALL;
  }

  /**
   * Finds a model.
   *
   * @throws UserError if it is not known; the message lists the known ones
   */
  public static KnownModel named(String name) {
    List<String> names = ALL.stream().map(KnownModel::name).toList();
    return ALL.stream()
        .filter(model -> model.name.equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "unknown model '%s'%s; known: %s; for another one give --layers, --kv-heads and --head-dim"
                    .formatted(name, Suggestions.hint(name, names), names)));
  }

  /** Returns the layout of this model's KV cache. */
  public KvLayout layout(int blockTokens, DType dtype) {
    return new KvLayout(layers, kvHeads, headDim, blockTokens, dtype);
  }
}
