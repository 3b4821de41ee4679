package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.ValueId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A directory whose reads wait for something before they return, and changes before they begin. */
record WaitingDirectory(
    Directory directory,
    Supplier<CompletableFuture<Void>> reads,
    Supplier<CompletableFuture<Void>> changes)
    implements Directory {

  static final Supplier<CompletableFuture<Void>> NOTHING =
      () -> CompletableFuture.completedFuture(null);

  @Override
  public CompletableFuture<Map<ValueId, DirectoryEntry>> get(Collection<ValueId> ids) {
    return directory.get(ids).thenCompose(found -> reads.get().thenApply(_ -> found));
  }

  @Override
  public CompletableFuture<Map<ValueId, DirectoryEntry>> update(Map<ValueId, Change> updates) {
    return changes.get().thenCompose(_ -> directory.update(updates));
  }

  @Override
  public CompletableFuture<Set<ValueId>> repair(Collection<ValueId> ids) {
    return directory.repair(ids);
  }

  @Override
  public int segments() {
    return directory.segments();
  }

  @Override
  public Map<ValueId, DirectoryEntry> owned(int segment) {
    return directory.owned(segment);
  }

  @Override
  public CompletableFuture<Void> clear() {
    return directory.clear();
  }

  @Override
  public long size() {
    return directory.size();
  }
}
