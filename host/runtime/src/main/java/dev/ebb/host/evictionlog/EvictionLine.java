package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats evictions as lines of {@code key=value} pairs whose values contain no spaces. */
final class EvictionLine {

  private EvictionLine() {}

  static String of(EvictionRecord record) {
    return "time=%s event=eviction key=%s tenant=%s policy=%s cause=%s by=%s reason=%s group=%s bytes=%d age-s=%.3f idle-s=%.3f accesses=%d score=%s"
        .formatted(
            time(record.wallMillis()),
            key(record),
            word(record.tenant()),
            word(record.policy()),
            word(record.cause()),
            word(record.by()),
            word(record.reason()),
            record.group() == EvictionRecord.NO_GROUP ? "-" : record.group(),
            record.bytes(),
            record.ageNanos() / 1e9,
            record.idleNanos() / 1e9,
            record.accesses(),
            Double.isNaN(record.score()) ? "-" : Double.toString(record.score()));
  }

  static String of(EvictionPass pass) {
    return "time=%s event=pass policy=%s by=%s reason=%s asked-bytes=%d freed-bytes=%d entries=%d refused=%d before-bytes=%d after-bytes=%d ms=%.3f"
        .formatted(
            time(pass.wallMillis()),
            word(pass.policy()),
            word(pass.by()),
            word(pass.reason()),
            pass.askedBytes(),
            pass.freedBytes(),
            pass.entries(),
            pass.refused(),
            pass.before(),
            pass.after(),
            pass.nanos() / 1e6);
  }

  private static String time(long wallMillis) {
    return Instant.ofEpochMilli(wallMillis).toString();
  }

  private static String key(EvictionRecord record) {
    byte[] key = record.key();
    return key == null ? record.name() : Percent.encode(key);
  }

  private static String word(@Nullable String text) {
    return text == null || text.isEmpty()
        ? "-"
        : Percent.encode(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String word(@Nullable Enum<?> constant) {
    return constant == null ? "-" : constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
