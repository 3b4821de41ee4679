package dev.ebb.host.engine;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.spi.Rotation;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The start options of an {@link Ebb}: the model's layout, and the configuration.
 *
 * @param layout the shape of a block
 * @param home the base of relative folders in the configuration: {@code plugins} must exist there
 * @param file a configuration file; null for {@code ebb.conf} in the home, if there is one
 * @param settings HOCON that overrides the file, for example {@code ebb.pool.size = 1 GiB}
 * @param observations the data that the engine provides for token policies
 * @param stateBytes the size of the recurrent state of a sequence; 0 if the model has none
 */
public record EbbOptions(
    KvLayout layout,
    Path home,
    @Nullable Path file,
    String settings,
    Observations observations,
    long stateBytes) {

  public EbbOptions {
    requireNonNull(layout, "layout is null");
    requireNonNull(home, "home is null");
    requireNonNull(settings, "settings is null");
    requireNonNull(observations, "observations is null");
    if (observations.queryHeads() % layout.kvHeads() != 0) {
      throw new IllegalArgumentException(
          "query heads '%d' must be a multiple of the %d KV heads"
              .formatted(observations.queryHeads(), layout.kvHeads()));
    }
    if (observations.rotation() != null) {
      requireWithin(observations.rotation(), layout.headDim());
    }
  }

  private static void requireWithin(Rotation rotation, int headDim) {
    for (int pair = 0; pair < rotation.pairs(); pair++) {
      int largest = Math.max(rotation.first(pair), rotation.second(pair));
      if (largest >= headDim) {
        throw new IllegalArgumentException(
            "the rotation turns dimension '%d', but heads have %d".formatted(largest, headDim));
      }
    }
  }

  /**
   * Returns options for a model, configured by {@code ebb.conf} in a folder, if there is one.
   *
   * @param layout the shape of a block
   * @param home a folder with the folder {@code plugins}
   */
  public static EbbOptions of(KvLayout layout, Path home) {
    return new EbbOptions(layout, home, null, "", Observations.NONE, 0);
  }

  /**
   * Returns the same with another configuration file.
   *
   * @param path the file, which must exist
   * @return a copy
   */
  public EbbOptions withFile(Path path) {
    return new EbbOptions(layout, home, path, settings, observations, stateBytes);
  }

  /**
   * Returns the same with settings that override the file.
   *
   * @param hocon for example {@code ebb.pool.size = 1 GiB}
   * @return a copy
   */
  public EbbOptions withSettings(String hocon) {
    return new EbbOptions(layout, home, file, hocon, observations, stateBytes);
  }

  /**
   * Returns the same for an engine that provides observations.
   *
   * @return a copy
   */
  public EbbOptions withObservations(Observations given) {
    return new EbbOptions(layout, home, file, settings, given, stateBytes);
  }

  /**
   * Returns the same for a model with recurrent layers: {@link Sequence#saveState}.
   *
   * @param bytes the size of a sequence's state, above 0
   * @return a copy
   */
  public EbbOptions withState(long bytes) {
    return new EbbOptions(layout, home, file, settings, observations, bytes);
  }

  /**
   * Reads the configuration.
   *
   * @throws UserError if it cannot be read or parsed
   */
  LoadedConfig load() {
    return new ConfigLoader(home, home.toAbsolutePath()).load(file, settings);
  }
}
