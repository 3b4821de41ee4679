package dev.ebb.host.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Ranks the nodes of a cluster for requests. Thread-safe; calls return without waiting. */
public interface RequestRouter {

  RequestRouter NONE = (keys, chunkTokens) -> CompletableFuture.completedStage(List.of());

  /**
   * A node that could serve a request.
   *
   * @param prefixKeys how many of the request's first keys have a copy on the node
   * @param tokensSaved the tokens that the engine beside it would not compute, estimated
   * @param bytesToMove the bytes it would read from other nodes to reach the longest prefix
   * @param load its load as a share of the busiest node's, 0 to 1
   */
  record RankedNode(
      String name,
      String address,
      int prefixKeys,
      long tokensSaved,
      long bytesToMove,
      double load) {}

  /** Ranks the nodes for the keys of a prompt, front to back; none without a cluster. */
  CompletionStage<List<RankedNode>> route(List<byte[]> keys, int chunkTokens);
}
