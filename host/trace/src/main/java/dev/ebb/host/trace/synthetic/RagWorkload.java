package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceRequest;
import java.util.Arrays;

/**
 * Questions about retrieved documents: the tenant's system prompt, one to five documents by
 * popularity, in the order found, then a new question.
 */
final class RagWorkload implements Workload {

  private static final int MOST_DOCUMENTS = 5;
  private static final double DOCUMENT_TOKENS = 800;
  private static final double QUESTION_TOKENS = 40;
  private static final double ANSWER_TOKENS = 150;

  private final Rng dice;
  private final Tenants tenants;
  private final Popularity popularity;
  private final double perSecond;
  private final int blockTokens;
  private final long library;
  private final long[] documentTokens;
  private long nanos;
  private long requests;

  RagWorkload(SyntheticOptions options) {
    dice = new Rng(options.seed);
    tenants = new Tenants(options.tenants, 300, dice);
    popularity = new Popularity(options.documents, options.skew);
    perSecond = options.requestsPerSecond;
    blockTokens = options.blockTokens;
    library = dice.bits();
    documentTokens = new long[options.documents];
    Arrays.setAll(documentTokens, document -> dice.tokens(DOCUMENT_TOKENS, 0.6));
  }

  @Override
  public void next(TraceRequest request) {
    request.timestampNanos = nanos;
    nanos += dice.gap(perSecond);
    int tenant = tenants.draw(dice);
    PromptBlocks prompt = new PromptBlocks(blockTokens);
    tenants.open(tenant, prompt);
    for (int i = Math.min(dice.times(3), MOST_DOCUMENTS); i > 0; i--) {
      int document = popularity.draw(dice);
      prompt.append(library + document, documentTokens[document]);
    }
    prompt.append(dice.bits(), dice.tokens(QUESTION_TOKENS, 0.7));
    prompt.fill(request);
    request.outputTokens = dice.tokens(ANSWER_TOKENS, 0.7);
    request.sequenceId = requests++;
    request.turn = 1;
    request.tenant = tenants.name(tenant);
    request.workload = "rag";
  }
}
