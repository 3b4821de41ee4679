package dev.ebb.server.peer;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.engine.EngineConfig.Role;
import org.jspecify.annotations.Nullable;

/**
 * The model of an engine, for its peers.
 *
 * @param name the served name
 * @param weights identifies the weights
 * @param pages the form of the pages that can be copied; null if none can
 * @param instance identifies the running engine; null if it does not say
 */
public record PeerModel(
    String name, String weights, @Nullable String pages, Role role, @Nullable String instance) {

  /** Checks what another engine has sent. */
  public PeerModel {
    requireNonNull(name, "name is null");
    requireNonNull(weights, "weights is null");
    requireNonNull(role, "role is null");
  }

  /**
   * Returns why sequences of this model cannot go on with another one; null if they can.
   *
   * @param address of the other one
   */
  public @Nullable String difference(PeerModel other, Object address) {
    if (!name.equals(other.name)) {
      return "'%s' serves the model '%s', and this engine '%s'; both must serve the same"
          .formatted(address, other.name, name);
    }
    return weights.equals(other.weights)
        ? null
        : "'%s' serves '%s' with other weights than this engine; start both with the same file"
            .formatted(address, name);
  }

  /** Returns whether both are those of the same running engine. */
  public boolean isSameEngine(PeerModel other) {
    return instance != null && instance.equals(other.instance);
  }

  /** Returns whether pages of one model are pages of the other. */
  public boolean sharesPages(PeerModel other) {
    return pages != null && pages.equals(other.pages) && weights.equals(other.weights);
  }
}
