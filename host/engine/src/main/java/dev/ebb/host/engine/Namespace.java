package dev.ebb.host.engine;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What K and V depend on beside the tokens. Sequences share blocks only if their namespaces are
 * equal.
 *
 * @param model the model, with its revision if that matters
 * @param adapter a LoRA or other adapter, or null
 * @param salt keeps tenants apart who must not see, by speed, what others asked; or null
 * @param multimodalHashes hashes of images and the like, in the order of their use
 */
public record Namespace(
    String model, @Nullable String adapter, @Nullable String salt, List<String> multimodalHashes) {

  /** Copies the list. */
  public Namespace {
    requireNonNull(model, "model is null");
    multimodalHashes = List.copyOf(multimodalHashes);
  }

  /**
   * A model as it is, for everybody.
   *
   * @param model the model's name
   * @return its namespace
   */
  public static Namespace of(String model) {
    return new Namespace(model, null, null, List.of());
  }

  /**
   * The same with an adapter.
   *
   * @param name the adapter's name
   * @return a copy
   */
  public Namespace withAdapter(String name) {
    return new Namespace(model, name, salt, multimodalHashes);
  }

  /**
   * The same for those only who use the same salt.
   *
   * @param text any text
   * @return a copy
   */
  public Namespace withSalt(String text) {
    return new Namespace(model, adapter, text, multimodalHashes);
  }

  /**
   * The same for prompts with these images and the like.
   *
   * @param hashes in the order of their use
   * @return a copy
   */
  public Namespace withMultimodalHashes(List<String> hashes) {
    return new Namespace(model, adapter, salt, hashes);
  }
}
