package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
import dev.ebb.spi.Settings;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * T-LRU, of Zhang, Li, Moallemi and Peng, <a href="https://arxiv.org/abs/2510.15152">Tail-Optimized
 * Caching for LLM Inference</a> (2025).
 *
 * <p>The time to the first token is fast enough if no more than {@code uncached-tokens} tokens have
 * to be computed. The next prompt of a conversation of L tokens is expected to have L plus {@code
 * next-tokens}. So it can lose its last blocks as long as the tokens before them are enough to stay
 * below that limit: such blocks are <i>safe</i>. Safe blocks are evicted first, least recently used
 * first, and then all others as LRU does. Short conversations are safe as a whole; of a long one,
 * only the end is.
 *
 * <p>L is the length of the prompt that used a block last. Depths are converted to tokens with the
 * largest number of tokens per block of a request so far. A use and a victim cost O(1). The score
 * is 1 for a safe entry and 2 for another.
 *
 * <p><b>Prefix streams.</b> The leaf rule evicts the end of a conversation first, as the paper
 * assumes. More prompts are cut a little and fewer are lost as a whole, which improves the slowest
 * first tokens and costs hits.
 */
final class TailLruPolicy extends QueuedBlockPolicy<TailLruPolicy.Node> {

  private static final long FIRST_BLOCK_TOKENS = 16;
  private static final long MOST_TOKENS = 10_000_000;

  private final EntryQueue<Node> safe = new EntryQueue<>("safe");
  private final EntryQueue<Node> needed = new EntryQueue<>("needed");
  private final long uncachedTokens;
  private final long nextTokens;
  private long blockTokens;

  TailLruPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    Settings settings = context.settings();
    uncachedTokens = settings.integer("uncached-tokens", 2048, 0, MOST_TOKENS);
    nextTokens = settings.integer("next-tokens", 256, 0, MOST_TOKENS);
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  public void began(Request request) {
    // A prompt shorter than a block has no blocks.
    if (request.blocks() > 0) {
      blockTokens = Math.max(blockTokens, Math.ceilDiv(request.inputTokens(), request.blocks()));
    }
  }

  @Override
  protected void insert(Node node) {
    queueFor(node).moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    queueFor(node).moveToHot(node);
  }

  private EntryQueue<Node> queueFor(Node node) {
    long block = blockTokens == 0 ? FIRST_BLOCK_TOKENS : blockTokens;
    long before = node.entry().depth() * block;
    long length = node.entry().sequenceLength();
    long history = length < 0 ? before + block : length;
    return before >= history + nextTokens - uncachedTokens ? safe : needed;
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node node = safe.coldest();
    return node == null ? needed.coldest() : node;
  }

  @Override
  public double score(Node node) {
    return node.queue() == safe ? 1 : 2;
  }

  @Override
  protected String describe(Node node) {
    return node.queue() == safe
        ? "safe: without it, the next prompt has a fast first token"
        : "needed for a fast first token of the next prompt";
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("safe", (double) safe.size(), "needed", (double) needed.size());
  }
}
