package dev.ebb.host.enginebench;

import java.util.SplittableRandom;

/**
 * Texts made from the ids of blocks: equal ids, equal text. The words are short, common ones: most
 * tokenizers of language models have one token for each.
 */
final class PromptText {

  private static final String[] WORDS =
      """
      time year people way day man thing woman life child world school state family student group
      country problem hand part place case week company system program question work government
      number night point home water room mother area money story fact month lot right study book
      eye job word business issue side kind head house service friend father power hour game line
      end member law car city community name president team minute idea kid body information back
      parent face others level office door health person art war history party result change
      morning reason research girl guy moment air teacher force education foot boy age policy
      music market sense nation plan college interest death experience effect use class control
      field development role effort rate heart drug show leader light voice wife police mind
      difference period value building action season society tax director position player record
      paper space ground form event official matter center couple site project activity star
      table need court oil situation cost industry figure street image phone data picture
      practice piece land product doctor wall patient worker news test movie north love support
      technology step baby computer type attention film tree source hair look evidence window
      culture chance brother energy period summer road fire future choice model view river
      training rest board hope card sea lead key shot truth goal color bank bed season box order
      store dog share blood loss site range race stone ship
      """
          .strip()
          .split("\\s+");

  private final int blockTokens;
  private final double wordsPerToken;
  private final long seed;

  /**
   * Creates texts.
   *
   * @param wordsPerToken of the server's tokenizer
   * @param seed other seeds make other texts
   */
  PromptText(int blockTokens, double wordsPerToken, long seed) {
    this.blockTokens = blockTokens;
    this.wordsPerToken = wordsPerToken;
    this.seed = seed;
  }

  /** Returns the text of a whole prompt. */
  String of(EngineRequest request) {
    return words(request, 0);
  }

  /** Returns the text of the last tokens of a prompt. */
  String lastOf(EngineRequest request, long tokens) {
    return words(request, Math.max(0, wordsOf(request) - wordsFor(tokens)));
  }

  private String words(EngineRequest request, long from) {
    int blocks = request.blocks().size();
    long full = wordsFor(blockTokens);
    long all = wordsOf(request);
    StringBuilder text = new StringBuilder();
    for (int block = (int) (from / full); block < blocks; block++) {
      long start = block * full;
      append(
          text,
          request.blocks().getLong(block),
          Math.max(0, from - start),
          block == blocks - 1 ? all - start : full);
    }
    return text.toString();
  }

  private void append(StringBuilder text, long block, long from, long to) {
    SplittableRandom random = new SplittableRandom(block ^ (seed << 48 | seed >>> 16));
    for (long word = 0; word < to; word++) {
      String next = WORDS[random.nextInt(WORDS.length)];
      if (word >= from) {
        text.append(' ').append(next);
      }
    }
  }

  /** Returns the number of words of a prompt, whose last block may be shorter than the others. */
  private long wordsOf(EngineRequest request) {
    long before = request.blocks().size() - 1L;
    long lastTokens = Math.clamp(request.inputTokens() - before * blockTokens, 1, blockTokens);
    return before * wordsFor(blockTokens) + wordsFor(lastTokens);
  }

  private long wordsFor(long tokens) {
    return Math.max(1, Math.round(tokens * wordsPerToken));
  }

  /** Returns so many words that are in no prompt of this seed. */
  String other(int words) {
    StringBuilder text = new StringBuilder();
    append(text, Long.MIN_VALUE ^ words, 0, words);
    return text.toString();
  }
}
