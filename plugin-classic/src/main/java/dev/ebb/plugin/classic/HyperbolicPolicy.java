package dev.ebb.plugin.classic;

import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SampledBlockPolicy;

/**
 * Hyperbolic caching, of Blankstein, Sen, Freedman, <a
 * href="https://www.usenix.org/conference/atc17/technical-sessions/presentation/blankstein">Hyperbolic
 * Caching: Flexible Caching for Web Applications</a> (ATC '17), section 3.
 *
 * <p>The priority of an entry is its uses divided by the time since it became resident, in
 * insertions and uses. It falls while the entry is not used, and the lowest of a sample is evicted.
 * So a popular entry outlives new ones, but not for ever.
 *
 * <p>O(samples) for a victim, O(1) for a use. The score is the priority.
 *
 * <p><b>Prefix streams.</b> The priority of a new entry is high at first, so a prompt's tail is
 * kept until it is older than the time between turns of popular conversations.
 */
final class HyperbolicPolicy extends SampledBlockPolicy<SampledBlockPolicy.Node> {

  HyperbolicPolicy(PolicyContext context) {
    super(context.random(), (int) context.settings().integer("samples", 64, 1, 1024), Node::new);
  }

  @Override
  protected double rank(Node node) {
    return (double) node.entry().accesses() / age(node.entry());
  }

  private long age(Entry entry) {
    return Math.max(1, now() - entry.createdTick());
  }

  @Override
  protected String describe(Node node) {
    int uses = node.entry().accesses();
    return "%d %s in %d insertions and uses"
        .formatted(uses, uses == 1 ? "use" : "uses", age(node.entry()));
  }
}
