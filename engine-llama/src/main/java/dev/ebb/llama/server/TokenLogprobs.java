package dev.ebb.llama.server;

import dev.ebb.llama.generate.TokenText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The logarithm of the probability of a token, as the model computed it, without temperature,
 * penalties and grammar.
 *
 * @param top the most likely tokens in its place
 */
record TokenLogprobs(Entry entry, List<Entry> top) {

  /** A token's bytes, and the logarithm of its probability. */
  @SuppressWarnings("ArrayRecordComponent")
  record Entry(byte[] piece, double logprob) {

    /** Returns the bytes as text; parts of a character are replaced. */
    String text() {
      TokenText text = new TokenText();
      return text.add(piece) + text.end();
    }

    List<Integer> bytes() {
      List<Integer> bytes = new ArrayList<>();
      for (byte each : piece) {
        bytes.add(Byte.toUnsignedInt(each));
      }
      return bytes;
    }
  }

  /**
   * Returns those of a token.
   *
   * @param logits of all tokens
   * @param count how many of the most likely tokens to return
   * @param pieces the bytes of each token
   */
  static TokenLogprobs of(float[] logits, int token, int count, byte[][] pieces) {
    float most = Float.NEGATIVE_INFINITY;
    for (float logit : logits) {
      most = Math.max(most, logit);
    }
    double sum = 0;
    for (float logit : logits) {
      sum += Math.exp(logit - most);
    }
    double norm = most + Math.log(sum);
    List<Entry> top =
        likeliest(logits, count).stream()
            .map(each -> new Entry(pieces[each], logits[each] - norm))
            .toList();
    return new TokenLogprobs(new Entry(pieces[token], logits[token] - norm), top);
  }

  private static List<Integer> likeliest(float[] logits, int count) {
    Comparator<Integer> byLogit = Comparator.comparingDouble(token -> logits[token]);
    PriorityQueue<Integer> best = new PriorityQueue<>(byLogit);
    for (int token = 0; token < logits.length && count > 0; token++) {
      if (best.size() < count) {
        best.add(token);
      } else if (logits[token] > logits[best.element()]) {
        best.remove();
        best.add(token);
      }
    }
    return best.stream().sorted(byLogit.reversed()).toList();
  }
}
