package dev.ebb.host.admin.cluster;

import dev.ebb.host.cluster.NodeMigration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A move of values to another node.
 *
 * @param state {@code copying}, {@code done} or {@code failed}
 * @param values how many values it moves
 * @param valuesFailed how many stay where they are
 * @param error why the last of these stays; null if none does
 */
public record ClusterMigrationDocument(
    long id,
    String node,
    String state,
    long values,
    long valuesMoved,
    long valuesFailed,
    long bytesMoved,
    double seconds,
    @Nullable String error) {

  /** Several migrations, the newest first. */
  public record All(List<ClusterMigrationDocument> migrations) {}

  static ClusterMigrationDocument of(NodeMigration migration) {
    return new ClusterMigrationDocument(
        migration.id(),
        migration.target(),
        migration.state().name().toLowerCase(Locale.ROOT),
        migration.values(),
        migration.valuesMoved(),
        migration.valuesFailed(),
        migration.bytesMoved(),
        migration.seconds(),
        migration.error().isEmpty() ? null : migration.error());
  }
}
