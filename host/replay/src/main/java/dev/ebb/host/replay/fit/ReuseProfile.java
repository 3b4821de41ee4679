package dev.ebb.host.replay.fit;

import java.util.List;

/**
 * The statistics of a trace that decide the hits of a prefix cache: sizes, distances and times,
 * without ids, texts or labels.
 *
 * @param requests requests, those without blocks included
 * @param gaps microseconds from one request to the next
 * @param outputTokens lengths of the answers; empty if not known
 * @param promptBlocks lengths of the prompts
 * @param sharedBlocks leading blocks that an earlier request had too, of requests that have some
 * @param distances reuse distances of the last of them, in blocks
 * @param reuseMillis milliseconds since its last use
 * @param addedBlocks blocks of a request that no request had before
 * @param unsharedTokens lengths of the prompts without blocks, in tokens
 * @param classes the requests by all of this together
 */
public record ReuseProfile(
    long requests,
    int blockTokens,
    LogHistogram gaps,
    LogHistogram outputTokens,
    LogHistogram promptBlocks,
    LogHistogram sharedBlocks,
    LogHistogram distances,
    LogHistogram reuseMillis,
    LogHistogram addedBlocks,
    LogHistogram unsharedTokens,
    List<RequestClass> classes) {

  public ReuseProfile {
    classes = List.copyOf(classes);
  }
}
