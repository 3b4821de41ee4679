package dev.ebb.host.store.key;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** The keys that are taken for chunks of prompts, whose chains are learned. */
public final class ChainKeys {

  /** No keys: each value is on its own. */
  public static final ChainKeys OFF = new ChainKeys((key, parts) -> false);

  /** Keys in the format of a known engine: LMCache's chunks and SGLang's pages. */
  public static final ChainKeys AUTO =
      new ChainKeys((key, parts) -> parts != null || PageKey.is(key));

  /** All keys. */
  public static final ChainKeys ALL = new ChainKeys((key, parts) -> true);

  private final BiPredicate<byte[], @Nullable LabelledKey> selected;

  private ChainKeys(BiPredicate<byte[], @Nullable LabelledKey> selected) {
    this.selected = selected;
  }

  public static ChainKeys of(List<String> texts) {
    return texts.stream()
        .map(ChainKeys::of)
        .reduce((one, other) -> new ChainKeys(one.selected.or(other.selected)))
        .orElse(OFF);
  }

  /**
   * Returns the keys that a configured text selects: {@code auto}, {@code off}, or a pattern as
   * Redis' {@code SCAN} takes it, for whole keys.
   */
  public static ChainKeys of(String text) {
    return switch (text) {
      case "off" -> OFF;
      case "auto" -> AUTO;
      case "*" -> ALL;
      default -> {
        Glob pattern = new Glob(text.getBytes(StandardCharsets.UTF_8), false);
        yield new ChainKeys((key, parts) -> pattern.matches(key));
      }
    };
  }

  public boolean covers(byte[] key) {
    return covers(key, LabelledKey.parse(key));
  }

  boolean covers(byte[] key, @Nullable LabelledKey parts) {
    return selected.test(key, parts);
  }
}
