package dev.ebb.llama.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes probabilities of tokens in the formats of the OpenAI API. */
final class LogprobDocuments {

  private LogprobDocuments() {}

  /** Returns those of a chat. */
  static Map<String, Object> chat(List<TokenLogprobs> tokens) {
    List<Map<String, Object>> content = new ArrayList<>();
    for (TokenLogprobs token : tokens) {
      Map<String, Object> document = entry(token.entry());
      document.put("top_logprobs", token.top().stream().map(LogprobDocuments::entry).toList());
      content.add(document);
    }
    return Map.of("content", content);
  }

  private static Map<String, Object> entry(TokenLogprobs.Entry entry) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("token", entry.text());
    document.put("logprob", entry.logprob());
    document.put("bytes", entry.bytes());
    return document;
  }

  /**
   * Returns those of a completion.
   *
   * @param start the characters of the answer before the first token
   */
  static Map<String, Object> text(int start, List<TokenLogprobs> tokens) {
    List<Map<String, Double>> top = new ArrayList<>();
    List<Integer> offsets = new ArrayList<>();
    int offset = start;
    for (TokenLogprobs token : tokens) {
      Map<String, Double> likely = new LinkedHashMap<>();
      token.top().forEach(each -> likely.putIfAbsent(each.text(), each.logprob()));
      top.add(likely);
      offsets.add(offset);
      offset += token.entry().text().length();
    }
    return Map.of(
        "tokens",
        tokens.stream().map(token -> token.entry().text()).toList(),
        "token_logprobs",
        tokens.stream().map(token -> token.entry().logprob()).toList(),
        "top_logprobs",
        top,
        "text_offset",
        offsets);
  }
}
