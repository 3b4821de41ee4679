package dev.ebb.host.admin.cluster;

import dev.ebb.host.admin.entries.BinaryKeys;
import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.cluster.ValuePlace;
import dev.ebb.host.http.View;
import dev.ebb.host.units.Percent;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value of the cluster.
 *
 * @param key percent-encoded, as in a path
 * @param state {@code replicating}, {@code active}, {@code migrating}, {@code evicted}, {@code
 *     deleted} or {@code unknown}
 * @param crc32c its checksum, 8 hexadecimal digits
 * @param expiresAt when its time to live ends, ISO 8601; null for never
 * @param immutable whether its key names its content
 * @param primary the node with its primary copy; null if it has none
 */
public record ClusterValueDocument(
    String key,
    String text,
    String state,
    long version,
    long bytes,
    String crc32c,
    @Nullable String expiresAt,
    boolean immutable,
    @Nullable String primary,
    List<String> replicas) {

  static ClusterValueDocument of(byte[] key, ValuePlace place) {
    return View.of(ClusterValueDocument.class, place)
        .with("key", Percent.encode(key))
        .with("text", BinaryKeys.text(key))
        .with("crc32c", HexFormat.of().toHexDigits(place.crc32c()))
        .with("expiresAt", EntryDocument.moment(place.expiresAt()))
        .with("primary", place.primary().isEmpty() ? null : place.primary())
        .get();
  }
}
