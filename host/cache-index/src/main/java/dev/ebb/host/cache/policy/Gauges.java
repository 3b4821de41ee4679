package dev.ebb.host.cache.policy;

import dev.ebb.host.errors.UntrustedText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the gauges of a policy, and returns those that metrics and JSON can show. Nothing that a
 * policy returns or throws here fails the caller. Used by one thread at a time.
 */
public final class Gauges {

  /** The maximum number of gauges of one policy; further ones are ignored. */
  static final int MOST = 64;

  /** The most characters of a name; the rest is cut. */
  static final int LONGEST_NAME = 64;

  private static final Logger LOG = LoggerFactory.getLogger(Gauges.class);

  private final String policy;
  private boolean warned;

  /** The name of the policy is for the warning. */
  public Gauges(String policy) {
    this.policy = policy;
  }

  /**
   * Reads them without null or blank names and values that are not finite. Logs a warning the first
   * time that something has to be left out.
   */
  public Map<String, Double> read(Supplier<? extends @Nullable Map<?, ?>> from) {
    Map<String, Double> copy = new LinkedHashMap<>();
    try {
      Map<?, ?> gauges = from.get();
      if (gauges == null) {
        warn("gauges() returned null; return an empty map if there are none");
        return copy;
      }
      int seen = 0;
      for (Map.Entry<?, ?> gauge : gauges.entrySet()) {
        if (++seen > MOST) {
          warn("gauges() returned more than %d gauges; the others are ignored".formatted(MOST));
          break;
        }
        copy(gauge.getKey(), gauge.getValue(), copy);
      }
    } catch (Throwable thrown) {
      warn("gauges() failed: " + UntrustedText.of(thrown));
    }
    return copy;
  }

  private void copy(@Nullable Object name, @Nullable Object value, Map<String, Double> into) {
    if (!(name instanceof String text) || text.isBlank()) {
      warn("gauges() returned a gauge without a name; it is ignored");
      return;
    }
    if (text.length() > LONGEST_NAME) {
      warn("gauges() returned a name of more than %d characters".formatted(LONGEST_NAME));
    }
    String shown = UntrustedText.line(text.substring(0, Math.min(text.length(), LONGEST_NAME)));
    if (!(value instanceof Double number) || number.isInfinite()) {
      warn(
          "the value of gauge '%s' is '%s'; it must be finite, or NaN if it is unknown"
              .formatted(shown, value instanceof Double ? value : kind(value)));
    } else if (!number.isNaN()) {
      into.put(shown, number);
    }
  }

  /** Only the type: the text of a plugin's object is plugin code. */
  private static String kind(@Nullable Object value) {
    return value == null ? "null" : UntrustedText.line(value.getClass().getName());
  }

  private void warn(String what) {
    if (!warned) {
      warned = true;
      LOG.warn("wrong gauges policy={} reason=\"{}\"", policy, what);
    }
  }
}
