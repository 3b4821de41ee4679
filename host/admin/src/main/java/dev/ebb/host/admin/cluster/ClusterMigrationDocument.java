package dev.ebb.host.admin.cluster;

import dev.ebb.host.cluster.NodeMigration;
import dev.ebb.host.http.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A move of values to another node.
 *
 * @param state {@code copying}, {@code done} or {@code failed}
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
    return View.of(ClusterMigrationDocument.class, migration)
        .with("node", migration.target())
        .with("error", migration.error().isEmpty() ? null : migration.error())
        .get();
  }
}
