package dev.ebb.host.admin.cluster;

import dev.ebb.host.admin.entries.BinaryKeys;
import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.cluster.ValuePlace;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
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
 * @param replicas the other nodes with a copy
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
    return new ClusterValueDocument(
        BinaryKeys.encoded(key),
        BinaryKeys.text(key),
        place.state().name().toLowerCase(Locale.ROOT),
        place.version(),
        place.bytes(),
        HexFormat.of().toHexDigits(place.crc32c()),
        EntryDocument.moment(place.expiresAt()),
        place.immutable(),
        place.primary().isEmpty() ? null : place.primary(),
        place.replicas());
  }
}
