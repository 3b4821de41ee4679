package dev.ebb.server.completion;

import dev.ebb.host.openai.CompletionAnswer.ChatLogprobs;
import dev.ebb.host.openai.CompletionAnswer.TextLogprobs;
import dev.ebb.host.openai.CompletionAnswer.TokenLogprob;
import dev.ebb.server.model.TokenText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

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

    TokenLogprob document(@Nullable List<TokenLogprob> top) {
      List<Integer> bytes = new ArrayList<>();
      for (byte each : piece) {
        bytes.add(Byte.toUnsignedInt(each));
      }
      return new TokenLogprob(text(), logprob, bytes, top);
    }
  }

  /** Returns those of a token. */
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

  /** Returns those of a chat. */
  static ChatLogprobs chat(List<TokenLogprobs> tokens) {
    return new ChatLogprobs(
        tokens.stream()
            .map(token ->
                token.entry.document(token.top.stream().map(each -> each.document(null)).toList()))
            .toList());
  }

  /**
   * Returns those of a completion.
   *
   * @param start the characters of the answer before the first token
   */
  static TextLogprobs text(int start, List<TokenLogprobs> tokens) {
    List<Map<String, Double>> top = new ArrayList<>();
    List<Integer> offsets = new ArrayList<>();
    int offset = start;
    for (TokenLogprobs token : tokens) {
      Map<String, Double> likely = new LinkedHashMap<>();
      token.top.forEach(each -> likely.putIfAbsent(each.text(), each.logprob()));
      top.add(likely);
      offsets.add(offset);
      offset += token.entry.text().length();
    }
    return new TextLogprobs(
        tokens.stream().map(token -> token.entry.text()).toList(),
        tokens.stream().map(token -> token.entry.logprob()).toList(),
        top,
        offsets);
  }
}
