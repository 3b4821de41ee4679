package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceRequest;

/** Independent blocks by popularity; an id says nothing about the ids before it. */
final class ZipfWorkload implements Workload {

  private final Rng dice;
  private final Popularity popularity;
  private final double perSecond;
  private final int blocks;
  private final int blockTokens;
  private long nanos;

  ZipfWorkload(SyntheticOptions options) {
    dice = new Rng(options.seed);
    popularity = new Popularity(options.objects, options.skew);
    perSecond = options.requestsPerSecond;
    blocks = options.blocksPerRequest;
    blockTokens = options.blockTokens;
  }

  @Override
  public void next(TraceRequest request) {
    request.timestampNanos = nanos;
    nanos += dice.gap(perSecond);
    for (int i = 0; i < blocks; i++) {
      request.addId(popularity.draw(dice));
    }
    request.inputTokens = (long) blocks * blockTokens;
    request.workload = "zipf";
  }
}
