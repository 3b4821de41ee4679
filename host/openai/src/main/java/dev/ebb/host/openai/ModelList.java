package dev.ebb.host.openai;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The models of a server. */
public record ModelList(@Nullable String object, @Nullable List<Model> data) {

  /** Returns a list of models. */
  public static ModelList of(Model... models) {
    return new ModelList("list", List.of(models));
  }

  /**
   * A model.
   *
   * @param created seconds since 1970
   * @param maxModelLen the most tokens of prompt and answer, as in vLLM
   */
  public record Model(
      @Nullable String id,
      @Nullable String object,
      @Nullable Long created,
      @Nullable String ownedBy,
      @Nullable Integer maxModelLen) {}
}
