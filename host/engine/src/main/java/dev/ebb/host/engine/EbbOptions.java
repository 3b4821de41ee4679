package dev.ebb.host.engine;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.spi.Rotation;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The start options of an {@link Ebb}: the model's layout, and the configuration.
 *
 * @param home the base of relative folders in the configuration: {@code plugins} must exist there
 * @param file a configuration file; null for {@code ebb.conf} in the home, if there is one
 * @param settings HOCON that overrides the file, for example {@code ebb.pool.size = 1 GiB}
 * @param stateBytes the size of the recurrent state of a sequence; 0 if the model has none
 * @param windows the tokens that each lane group attends to, 0 for all; empty if all do so
 * @param pages copies pages for the disk tier; null to copy the blocks of the pool
 */
public record EbbOptions(
    KvLayout layout,
    Path home,
    @Nullable Path file,
    String settings,
    Observations observations,
    long stateBytes,
    List<Integer> windows,
    @Nullable PageBytes pages) {

  public EbbOptions {
    windows = List.copyOf(windows);
    requireNonNull(layout, "layout is null");
    requireNonNull(home, "home is null");
    requireNonNull(settings, "settings is null");
    requireNonNull(observations, "observations is null");
    if (observations.queryHeads() % layout.kvHeads() != 0) {
      throw new IllegalArgumentException(
          "query heads '%d' must be a multiple of the %d KV heads"
              .formatted(observations.queryHeads(), layout.kvHeads()));
    }
    if (stateBytes < 0) {
      throw new IllegalArgumentException(
          "a state of '%d' bytes must have at least 0".formatted(stateBytes));
    }
    if (!windows.isEmpty()) {
      checkWindows(windows, layout.laneGroups(), stateBytes);
    }
    if (observations.rotation() != null) {
      requireWithin(observations.rotation(), layout.headDim());
    }
  }

  private static void checkWindows(List<Integer> windows, int laneGroups, long stateBytes) {
    if (windows.size() != laneGroups || laneGroups > ObjectGroups.MOST) {
      throw new IllegalArgumentException(
          "'%d' windows for '%d' lane groups; name one for each, of at most %d"
              .formatted(windows.size(), laneGroups, ObjectGroups.MOST));
    }
    if (!windows.contains(0) || Collections.min(windows) < 0) {
      throw new IllegalArgumentException(
          "windows '%s' must be 0 or more tokens, and 0 for at least one lane group"
              .formatted(windows));
    }
    if (stateBytes > 0) {
      throw new IllegalArgumentException(
          "a model with windows and recurrent states is not supported; give all lanes full"
              + " attention");
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
   * Returns options with the {@code ebb.conf} of a folder, which has the folder {@code plugins}.
   */
  public static EbbOptions of(KvLayout layout, Path home) {
    return new EbbOptions(layout, home, null, "", Observations.NONE, 0, List.of(), null);
  }

  /** Returns the same with another configuration file. */
  public EbbOptions withFile(Path path) {
    return new EbbOptions(layout, home, path, settings, observations, stateBytes, windows, pages);
  }

  /** Returns the same with HOCON that overrides the file, as {@code ebb.pool.size = 1 GiB}. */
  public EbbOptions withSettings(String hocon) {
    return new EbbOptions(layout, home, file, hocon, observations, stateBytes, windows, pages);
  }

  /** Returns the same for an engine that provides observations. */
  public EbbOptions withObservations(Observations given) {
    return new EbbOptions(layout, home, file, settings, given, stateBytes, windows, pages);
  }

  /**
   * Returns the same for a model with recurrent layers: {@link Sequence#saveState}.
   *
   * @param bytes the size of a sequence's state, above 0
   */
  public EbbOptions withState(long bytes) {
    return new EbbOptions(layout, home, file, settings, observations, bytes, windows, pages);
  }

  /**
   * Returns the same for a model with sliding-window attention in some lane groups: cached prefixes
   * keep only the blocks of these that a later prompt is likely to go on from.
   *
   * @param tokens by lane group: how many tokens before the next one it attends to, 0 for all. At
   *     least one attends to all
   */
  public EbbOptions withWindows(int... tokens) {
    List<Integer> each = Arrays.stream(tokens).boxed().toList();
    return new EbbOptions(layout, home, file, settings, observations, stateBytes, each, pages);
  }

  /** Returns the same for an engine that copies pages for the disk tier itself. */
  public EbbOptions withPages(PageBytes copier) {
    return new EbbOptions(layout, home, file, settings, observations, stateBytes, windows, copier);
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
