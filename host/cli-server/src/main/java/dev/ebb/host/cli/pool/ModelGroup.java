package dev.ebb.host.cli.pool;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KnownModel;
import dev.ebb.host.pool.KvLayout;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that describe a model's KV cache. */
final class ModelGroup {

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "A published model, such as Llama-3-8B; an unknown name lists the known ones")
  private @Nullable String model;

  @Option(names = "--layers", paramLabel = "N", description = "Attention layers")
  private @Nullable Integer layers;

  @Option(names = "--kv-heads", paramLabel = "N", description = "KV heads in a layer")
  private @Nullable Integer kvHeads;

  @Option(names = "--head-dim", paramLabel = "N", description = "Elements of one head")
  private @Nullable Integer headDim;

  @Option(
      names = "--dtype",
      paramLabel = "TYPE",
      defaultValue = "fp16",
      description = "fp32, fp16, bf16 or opaque:<bytes of one element>")
  private String dtype = "fp16";

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      defaultValue = "" + KvLayout.DEFAULT_BLOCK_TOKENS,
      description = "Tokens in a block")
  private int blockTokens = KvLayout.DEFAULT_BLOCK_TOKENS;

  KnownModel shape() {
    KnownModel known = model == null ? null : KnownModel.named(model);
    if (known == null && (layers == null || kvHeads == null || headDim == null)) {
      throw new UserError("no model; give --model, or all of --layers, --kv-heads and --head-dim");
    }
    boolean changed = layers != null || kvHeads != null || headDim != null;
    if (known != null && !changed) {
      return known;
    }
    return new KnownModel(
        known == null ? "custom" : known.name() + ", changed",
        layers != null ? layers : known == null ? 0 : known.layers(),
        kvHeads != null ? kvHeads : known == null ? 0 : known.kvHeads(),
        headDim != null ? headDim : known == null ? 0 : known.headDim());
  }

  KvLayout layout(KnownModel shape) {
    try {
      return shape.layout(blockTokens, DType.parse(dtype));
    } catch (IllegalArgumentException wrong) {
      throw new UserError(String.valueOf(wrong.getMessage()));
    }
  }
}
