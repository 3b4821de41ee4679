package dev.ebb.host.engine.request;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of K and V beside the tokens. Sequences share blocks only if their namespaces are
 * equal.
 *
 * @param model the model, with its revision if that matters
 * @param adapter a LoRA or other adapter, or null
 * @param salt separates tenants that must not learn, by timing, of each other's prompts; or null
 * @param multimodalHashes hashes of images and the like, in the order of their use
 */
public record Namespace(
    String model, @Nullable String adapter, @Nullable String salt, List<String> multimodalHashes) {

  public Namespace {
    if (requireNonNull(model, "model is null").isBlank()) {
      throw new IllegalArgumentException("the model of a namespace is blank; name the model");
    }
    multimodalHashes = List.copyOf(multimodalHashes);
  }

  /** Returns the namespace of a model without adapter or salt. */
  public static Namespace of(String model) {
    return new Namespace(model, null, null, List.of());
  }

  /** Returns the same with an adapter. */
  public Namespace withAdapter(String name) {
    return new Namespace(model, name, salt, multimodalHashes);
  }

  /** Returns the same with a salt; only users of that salt share blocks. */
  public Namespace withSalt(String text) {
    return new Namespace(model, adapter, text, multimodalHashes);
  }

  /** Returns the same for prompts with images and the like. */
  public Namespace withMultimodalHashes(List<String> hashes) {
    return new Namespace(model, adapter, salt, hashes);
  }
}
