package dev.ebb.host.admin.pool;

import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.http.View;
import dev.ebb.host.pool.MigrationReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A migration between devices.
 *
 * @param sequence the number of the sequence; a unique number for a cached prefix
 * @param state {@code copying}, {@code complete} or {@code cancelled}
 * @param reason the reason for a cancellation; null if not cancelled
 */
public record MigrationDocument(
    long id,
    long sequence,
    String from,
    String to,
    String state,
    @Nullable String reason,
    int blocks,
    int blocksCopied,
    long bytesCopied,
    long bytesPerSecond) {

  public record All(List<MigrationDocument> migrations) {}

  static MigrationDocument of(SequenceMigration migration) {
    MigrationReport report = migration.report();
    return View.of(MigrationDocument.class, migration, report)
        .with("bytesPerSecond", Math.round(report.bytesPerSecond()))
        .get();
  }
}
