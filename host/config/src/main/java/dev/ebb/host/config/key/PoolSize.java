package dev.ebb.host.config.key;

import dev.ebb.host.units.ByteSize;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A pool's size: bytes, or a share of what is available when the pool is opened.
 *
 * @param bytes the size, 0 if it is a share
 * @param percent the share in percent, 0 if it is a size
 */
public record PoolSize(long bytes, double percent) {

  /**
   * Parses a size.
   *
   * @param text for example {@code 8 GiB} or {@code 60 %}
   * @return the size; empty if it is neither bytes with their unit nor above 0 % and up to 100 %
   */
  public static Optional<PoolSize> parse(String text) {
    String stripped = text.strip();
    if (stripped.matches("\\d{1,3}(\\.\\d{1,9})?\\s*%")) {
      double percent = Double.parseDouble(stripped.substring(0, stripped.length() - 1).strip());
      return percent > 0 && percent <= 100
          ? Optional.of(new PoolSize(0, percent))
          : Optional.empty();
    }
    OptionalLong bytes = ByteSize.parse(stripped);
    return bytes.isPresent() && bytes.getAsLong() > 0
        ? Optional.of(new PoolSize(bytes.getAsLong(), 0))
        : Optional.empty();
  }

  /**
   * Returns the size in bytes.
   *
   * @return the requested bytes, whether they fit or not
   */
  public long bytesOf(long availableBytes) {
    return bytes > 0 ? bytes : (long) (availableBytes * (percent / 100));
  }
}
