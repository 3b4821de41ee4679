package dev.ebb.host.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;

/** The keys that are taken for chunks of prompts, whose chains are learned. */
public final class ChainKeys {

  /** No keys: each value is on its own. */
  public static final ChainKeys OFF = new ChainKeys(key -> false);

  /** Keys in the format of a known engine: LMCache's chunks and SGLang's pages. */
  public static final ChainKeys AUTO =
      new ChainKeys(key -> PageKey.is(key) || LabelledKey.parse(key) != null);

  /** All keys. */
  public static final ChainKeys ALL = new ChainKeys(key -> true);

  private final Predicate<byte[]> covered;

  private ChainKeys(Predicate<byte[]> covered) {
    this.covered = covered;
  }

  /** Returns the keys that any of some configured texts selects, as {@link #of(String)}. */
  public static ChainKeys of(List<String> texts) {
    return texts.stream()
        .map(ChainKeys::of)
        .reduce((one, other) -> new ChainKeys(one.covered.or(other.covered)))
        .orElse(OFF);
  }

  /**
   * Returns the keys that a configured text selects.
   *
   * @param text {@code auto}, {@code off}, or a pattern as Redis' {@code SCAN} takes it, for whole
   *     keys
   */
  public static ChainKeys of(String text) {
    return switch (text) {
      case "off" -> OFF;
      case "auto" -> AUTO;
      case "*" -> ALL;
      default -> new ChainKeys(new Glob(text.getBytes(StandardCharsets.UTF_8), false)::matches);
    };
  }

  /** Returns whether a key is taken for that of a chunk. */
  public boolean covers(byte[] key) {
    return covered.test(key);
  }
}
