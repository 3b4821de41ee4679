package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.store.key.Model;
import dev.ebb.host.store.stats.ChainStats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the cache and the access listeners requests of whole chains, and counts them. Guarded by
 * the partition's lock.
 */
final class RequestCompletion {

  private final Chains chains;
  private final CacheRequest request = new CacheRequest();
  private long requests;
  private long lookups;
  private long hits;
  private long hitsElsewhere;
  private long lostHits;

  RequestCompletion(Chains chains) {
    this.chains = chains;
  }

  ChainStats stats(ChainTree tree, long unknown) {
    return new ChainStats(
        requests,
        lookups,
        hits,
        hitsElsewhere,
        tree.linked(),
        tree.unreachable(),
        unknown,
        chains.predecessors.size(),
        chains.predecessors.replaced());
  }

  long lostHits() {
    return lostHits;
  }

  /** Gives the cache what a request has used and made so far, or in all; returns its weight. */
  long complete(ObservedRequest ended, boolean over) {
    chains.reports.completed(ended);
    int from = ended.completed;
    List<ChainedValue> made = List.copyOf(ended.made);
    ended.made.clear();
    if (ended.tiled != null && from == 0) {
      ended.tiled.reorder(ended, chains.predecessors);
      if (!chains.predecessors.isSure(ended.low(0))) {
        chains.predecessors.saw(ended.low(0), Predecessors.NONE);
      }
    }
    chains.linker.order(ended, made);
    ended.addStored();
    ended.ordered = Integer.MAX_VALUE;
    List<CacheEntry> path = chains.linker.path(ended);
    if (ended.tiled != null) {
      ended.ordered = ended.tiled.ordered(ended, chains.predecessors);
    }
    count(ended, made);
    int reported = ended.reported;
    report(ended, from);
    if (path.size() > from || ended.rejected > 0) {
      int used = Math.min(from, path.size());
      int resident = from == 0 ? Math.min(ended.found, path.size()) : used;
      complete(
          ended,
          ended.size(),
          path,
          resident,
          Math.min(resident, ended.usable(ended.found)),
          used,
          reported);
    }
    // Its chunks arrive over several connections: those behind a rejected one may come first.
    boolean wholeOnly = over && ended.tiled != null && ended.rejected > 0;
    ended.rejected = 0;
    long published = 0;
    for (ChainedValue value : made) {
      CacheEntry entry = requireNonNull(value.entry);
      value.request = null;
      published += value.weight();
      if (!entry.published() && (!wholeOnly || !chains.cache.discard(entry))) {
        chains.cache.publish(entry);
        chains.linker.adopt(value);
      }
    }
    for (int i = Math.max(from, path.size()); i < ended.reached; i++) {
      ChainedValue value = chains.values.at(ended.low(i));
      if (value != null && value.request == null) {
        chains.cache.access(requireNonNull(value.entry), ended.facts);
      }
    }
    // A key that was missing may be stored after this.
    ended.completed = Math.max(path.size(), ended.reached);
    ended.hold(chains.cache, null);
    return published;
  }

  /** Reports a request to the access listeners, or what has been added to it since. */
  private void report(ObservedRequest ended, int from) {
    int counted = ended.reported;
    ended.reported = ended.size();
    if (chains.listeners.isEmpty()) {
      return;
    }
    int[] weights = new int[ended.size()];
    for (int i = 0; i < weights.length; i++) {
      ChainedValue value = chains.values.at(ended.low(i));
      weights[i] = value == null ? 0 : value.weight();
    }
    CacheRequest report =
        CacheRequest.report(
            ended.facts, ended.keys.toLongArray(), weights, ended.usable(ended.found));
    report.objects(objects(ended));
    report.answered(ended.outputTokens);
    report.ordered(ended.ordered);
    report.part(ended.serial, counted, from);
    chains.listeners.began(report);
  }

  /** Returns the weights of the objects of a request's chunks by group; null if it has one. */
  private @Nullable SizedGroups objects(ObservedRequest of) {
    Model model = null;
    ObjectGroups groups = ObjectGroups.ONE;
    int[] weights = {};
    for (int i = 0; i < of.size(); i++) {
      ChainedValue value = chains.values.at(of.low(i));
      ChunkParts parts = value == null ? null : requireNonNull(value.entry).parts();
      if (value == null || parts == null) {
        continue;
      }
      if (model == null) {
        model = value.key.labels().model();
        groups = parts.groups();
        weights = new int[groups.size()];
      }
      for (int group = 0; group < Math.min(weights.length, parts.groups().size()); group++) {
        weights[group] = Math.max(weights[group], parts.weight(group));
      }
    }
    return model == null ? null : model.sized(groups, weights);
  }

  /** Reports the answer of a request whose values the policy has received before its end. */
  void answered(ObservedRequest ended) {
    List<CacheEntry> path = chains.linker.path(ended);
    int blocks = path.size();
    if (blocks > 0) {
      report(ended, ended.size());
      complete(ended, blocks, path, blocks, blocks, blocks, blocks);
    }
  }

  private void complete(
      ObservedRequest ended,
      int blocks,
      List<CacheEntry> path,
      int resident,
      int matched,
      int from,
      int reported) {
    request.reset(ended.facts, -1);
    request.answered(ended.outputTokens);
    ended.reportedTokens = ended.outputTokens;
    ended.reportedFacts = ended.facts;
    for (int i = 0; i < blocks; i++) {
      request.add(ended.low(i), ended.high(i));
    }
    request.ordered(ended.ordered);
    request.part(ended.serial, reported, from);
    request.objects(chains.cache.reportsRequests() ? objects(ended) : null);
    chains.cache.complete(request, path, resident, matched, from);
  }

  private void count(ObservedRequest ended, List<ChainedValue> made) {
    if (!ended.counted) {
      ended.counted = true;
      requests++;
      hits += ended.hits();
      hitsElsewhere += ended.hits() - ended.hitsHere();
      lostHits += ended.lost;
      lookups += ended.stated ? ended.size() : ended.leading() - ended.implied;
    }
    lookups += ended.stated ? 0 : ended.rejected + stored(ended, made);
  }

  /** Counts the values that a client stored: those read from the disk are among the found ones. */
  private static long stored(ObservedRequest by, List<ChainedValue> made) {
    return by.available <= by.reached
        ? made.size()
        : made.stream().filter(value -> !by.isAvailable(value.key.low())).count();
  }
}
