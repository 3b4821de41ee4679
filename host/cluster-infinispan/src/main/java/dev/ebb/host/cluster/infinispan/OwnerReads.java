package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.ValueId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.infinispan.AdvancedCache;
import org.infinispan.commands.CommandsFactory;
import org.infinispan.commands.remote.ClusteredGetAllCommand;
import org.infinispan.commons.marshall.WrappedByteArray;
import org.infinispan.commons.util.EnumUtil;
import org.infinispan.container.entries.InternalCacheValue;
import org.infinispan.context.Flag;
import org.infinispan.distribution.DistributionInfo;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.remoting.inboundhandler.DeliverOrder;
import org.infinispan.remoting.responses.Response;
import org.infinispan.remoting.responses.SuccessfulArrayResponse;
import org.infinispan.remoting.rpc.RpcManager;
import org.infinispan.remoting.rpc.RpcOptions;
import org.infinispan.remoting.transport.Address;
import org.infinispan.remoting.transport.impl.PassthroughSingleResponseCollector;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries from their owners. If an owner does not answer soon, the other owner is asked too.
 * Infinispan's own reads of several entries wait for one owner until that has left the cluster.
 */
final class OwnerReads {

  /** Other owners are asked after this time. */
  private static final long SOON_MILLIS = 100;

  /** An owner that did not answer soon is not the first one asked for this time. */
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AdvancedCache<byte[], byte[]> entries;
  private final RpcManager calls;
  private final CommandsFactory commands;
  private final RpcOptions options;
  private final Executor threads;
  private final Map<Address, Long> lateUntil = new ConcurrentHashMap<>();

  /** Creates the reads of a started cache; requests to other owners are sent on other threads. */
  OwnerReads(AdvancedCache<byte[], byte[]> entries, Executor threads, long timeoutMillis) {
    this.entries = entries;
    this.threads = threads;
    calls = entries.getRpcManager();
    commands = ComponentRegistry.of(entries).getCommandsFactory();
    options = new RpcOptions(DeliverOrder.NONE, timeoutMillis, TimeUnit.MILLISECONDS);
  }

  CompletableFuture<Map<ValueId, DirectoryEntry>> get(Set<ValueId> ids) {
    return ask(ids, Set.of());
  }

  /** Returns what each owner of an entry has, in no order. */
  CompletableFuture<Map<ValueId, List<Optional<DirectoryEntry>>>> getFromEachOwner(
      Collection<ValueId> ids) {
    LocalizedCacheTopology topology = entries.getDistributionManager().getCacheTopology();
    Map<Address, List<ValueId>> parts = new HashMap<>();
    for (ValueId id : ids) {
      topology
          .getDistribution(new WrappedByteArray(id.bytes()))
          .readOwners()
          .forEach(owner -> parts.computeIfAbsent(owner, _ -> new ArrayList<>()).add(id));
    }
    Map<Address, CompletableFuture<Map<ValueId, DirectoryEntry>>> answers = new HashMap<>();
    parts.forEach((owner, some) ->
        answers.put(
            owner,
            owner.equals(topology.getLocalAddress())
                ? read(entries.withFlags(Flag.CACHE_MODE_LOCAL), some)
                : request(owner, some, topology.getTopologyId())));
    return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
        .thenApply(_ -> {
          Map<ValueId, List<Optional<DirectoryEntry>>> found = HashMap.newHashMap(ids.size());
          answers.forEach((owner, answer) -> {
            for (ValueId id : parts.getOrDefault(owner, List.of())) {
              found
                  .computeIfAbsent(id, _ -> new ArrayList<>())
                  .add(Optional.ofNullable(answer.join().get(id)));
            }
          });
          return found;
        });
  }

  /** Asks the first owner of each entry that is not among some owners. */
  private CompletableFuture<Map<ValueId, DirectoryEntry>> ask(
      Collection<ValueId> ids, Set<Address> asked) {
    LocalizedCacheTopology topology = entries.getDistributionManager().getCacheTopology();
    List<ValueId> rest = new ArrayList<>();
    Map<Address, List<ValueId>> parts = new HashMap<>();
    for (ValueId id : ids) {
      DistributionInfo owners = topology.getDistribution(new WrappedByteArray(id.bytes()));
      Address owner = owners.isReadOwner() ? null : first(owners.readOwners(), asked);
      if (owner == null) {
        rest.add(id);
      } else {
        parts.computeIfAbsent(owner, _ -> new ArrayList<>()).add(id);
      }
    }
    List<CompletableFuture<Map<ValueId, DirectoryEntry>>> answers = new ArrayList<>();
    if (!rest.isEmpty()) {
      answers.add(read(entries, rest));
    }
    parts.forEach(
        (owner, some) -> answers.add(hedged(owner, some, asked, topology.getTopologyId())));
    return answers.size() == 1 ? answers.getFirst() : all(answers);
  }

  private @Nullable Address first(List<Address> owners, Set<Address> asked) {
    @Nullable Address first = null;
    long now = System.nanoTime();
    for (Address owner : owners) {
      Long late = lateUntil.get(owner);
      if (!asked.contains(owner)) {
        if (late == null || now - late > 0) {
          return owner;
        }
        first = first == null ? owner : first;
      }
    }
    return first;
  }

  /** Reads entries that this node has; others if no owner is left to be asked. */
  private static CompletableFuture<Map<ValueId, DirectoryEntry>> read(
      AdvancedCache<byte[], byte[]> from, List<ValueId> ids) {
    Set<byte[]> keys = HashSet.newHashSet(ids.size());
    ids.forEach(id -> keys.add(id.bytes()));
    return from.getAllAsync(keys)
        .thenApply(values -> {
          Map<ValueId, DirectoryEntry> found = HashMap.newHashMap(values.size());
          values.forEach(
              (key, bytes) -> found.put(ValueId.read(key), DirectoryEntry.decode(bytes)));
          return found;
        });
  }

  /** Asks an owner, and others if it fails or does not answer soon. */
  private CompletableFuture<Map<ValueId, DirectoryEntry>> hedged(
      Address owner, List<ValueId> ids, Set<Address> asked, int topologyId) {
    CompletableFuture<Map<ValueId, DirectoryEntry>> result = new CompletableFuture<>();
    CompletableFuture<Map<ValueId, DirectoryEntry>> request = request(owner, ids, topologyId);
    var _ =
        request.thenAccept(found -> {
          lateUntil.remove(owner);
          result.complete(found);
        });
    Set<Address> before = new HashSet<>(asked);
    before.add(owner);
    var _ =
        request
            .copy()
            .orTimeout(SOON_MILLIS, TimeUnit.MILLISECONDS)
            .exceptionallyComposeAsync(
                failure -> {
                  if (failure instanceof TimeoutException) {
                    lateUntil.put(owner, System.nanoTime() + LATE_NANOS);
                  }
                  return ask(ids, before);
                },
                threads)
            .whenComplete((found, failure) -> {
              if (failure == null) {
                result.complete(found);
              } else {
                var _ = request.whenComplete((_, _) -> result.completeExceptionally(failure));
              }
            });
    return result;
  }

  private CompletableFuture<Map<ValueId, DirectoryEntry>> request(
      Address owner, List<ValueId> ids, int topologyId) {
    ClusteredGetAllCommand<?, ?> command =
        commands.buildClusteredGetAllCommand(
            ids.stream().map(id -> new WrappedByteArray(id.bytes())).toList(),
            EnumUtil.EMPTY_BIT_SET,
            null);
    command.setTopologyId(topologyId);
    return calls
        .invokeCommand(owner, command, PassthroughSingleResponseCollector.INSTANCE, options)
        .toCompletableFuture()
        .thenApply(response -> decode(ids, response));
  }

  /** Decodes the answer of an owner, which is another kind of response if it is one no more. */
  private static Map<ValueId, DirectoryEntry> decode(List<ValueId> ids, Response response) {
    if (!(response instanceof SuccessfulArrayResponse<?> answer)) {
      throw new IllegalStateException("an owner answers '%s'".formatted(response));
    }
    Object[] values = answer.getResponseValue();
    Map<ValueId, DirectoryEntry> found = HashMap.newHashMap(values.length);
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof InternalCacheValue<?> value
          && value.getValue() instanceof WrappedByteArray bytes) {
        found.put(ids.get(i), DirectoryEntry.decode(bytes.getBytes()));
      }
    }
    return found;
  }

  private static CompletableFuture<Map<ValueId, DirectoryEntry>> all(
      List<CompletableFuture<Map<ValueId, DirectoryEntry>>> answers) {
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> {
          Map<ValueId, DirectoryEntry> found = new HashMap<>();
          answers.forEach(answer -> found.putAll(answer.join()));
          return found;
        });
  }
}
