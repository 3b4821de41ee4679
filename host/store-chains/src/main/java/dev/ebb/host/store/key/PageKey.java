package dev.ebb.host.store.key;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The format of the keys of pages of SGLang's HiCache: a SHA-256 in hexadecimal digits, which
 * includes the pages before it, the name of a pool beside that of K and V, and a suffix. Ebb's own
 * storage backend names an object group instead of a pool, and what its deployment has in common
 * with no other: a namespace of hexadecimal digits, and the LoRA adapter if the client names it.
 *
 * <pre>
 * hash[.pool|.group]_model[_tp_rank_tp_size][_pp_size_pp_rank][_cprank_cpsize][@namespace[@lora%NAME]]
 * </pre>
 */
final class PageKey {

  static final int HASH_DIGITS = 64;

  private static final int NAMESPACE_DIGITS = 12;

  /** The digits by which SGLang's own events name a page. */
  private static final int EVENT_DIGITS = 16;

  /** Pools other than that of K and V; one that starts with another one's name comes first. */
  private static final List<byte[]> POOLS =
      LabelledKey.ascii(
          ".mamba .swa .indexer .deepseek_v4_c4_indexer_state .deepseek_v4_c4_indexer"
              + " .deepseek_v4_c4_state .deepseek_v4_c4 .deepseek_v4_c128_state"
              + " .deepseek_v4_c128 .draft_indexer .draft_swa .draft");

  private static final byte[] CONTEXT = "_cp".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] ADAPTER = "@lora%".getBytes(StandardCharsets.US_ASCII);

  private PageKey() {}

  /** Returns whether a key is a page's hash with a suffix, whatever it contains. */
  static boolean is(byte[] key) {
    return key.length > HASH_DIGITS + 1
        && (key[HASH_DIGITS] == '_' || key[HASH_DIGITS] == '.')
        && LabelledKey.isHex(key, 0, HASH_DIGITS);
  }

  /** Parses a key; null for any without the name of a model. */
  static @Nullable LabelledKey parse(byte[] key) {
    if (!is(key)) {
      return null;
    }
    int group = groupEnd(key);
    int pool = group > 0 ? group - HASH_DIGITS : poolLength(key);
    int model = HASH_DIGITS + pool + 1;
    if (model >= key.length || key[model - 1] != '_') {
      return null;
    }
    int whole = withoutNamespace(key, model);
    int end = withoutContext(key, model, whole);
    int stages = pair(key, model, end);
    if (stages < end && first(key, stages, end) <= second(key, stages, end)) {
      stages = end;
    }
    int ranks = pair(key, model, stages);
    if (ranks < stages && first(key, ranks, stages) >= second(key, ranks, stages)) {
      ranks = stages;
    }
    if (ranks <= model) {
      return null;
    }
    boolean ranked = ranks < stages;
    int rankStart = ranked ? ranks + 1 : ranks;
    return new LabelledKey(
        model,
        ranks,
        ranked ? first(key, ranks, stages) : 0,
        ranked ? second(key, ranks, stages) : 1,
        rankStart,
        ranked ? separator(key, rankStart, stages) : rankStart,
        0,
        pool == 0 || group > 0 ? EVENT_DIGITS : HASH_DIGITS + pool,
        key.length,
        key.length,
        group > 0 ? HASH_DIGITS + 1 : rankStart,
        group > 0 ? group : rankStart,
        false);
  }

  /** Returns where the number of an object group ends; 0 if the key names none. */
  private static int groupEnd(byte[] key) {
    int end = HASH_DIGITS + 1;
    while (end < key.length && key[end] != '_') {
      end++;
    }
    return key[HASH_DIGITS] == '.'
            && LabelledKey.isHex(key, HASH_DIGITS + 1, end)
            && LabelledKey.isJoined(key, HASH_DIGITS + 1, end)
        ? end
        : 0;
  }

  private static int withoutNamespace(byte[] key, int from) {
    int end = withoutAdapter(key, from);
    int at = end - NAMESPACE_DIGITS - 1;
    return at > from && key[at] == '@' && LabelledKey.isHex(key, at + 1, end) ? at : end;
  }

  private static int withoutAdapter(byte[] key, int from) {
    int at = key.length - 1;
    while (at > from && key[at] != '@') {
      at--;
    }
    return at > from && startsWith(key, at, ADAPTER) ? at : key.length;
  }

  /** Returns whether a field of a key is what a deployment has in common with no other. */
  static boolean isNamespace(String field) {
    byte[] digits = field.getBytes(StandardCharsets.UTF_8);
    return digits.length == NAMESPACE_DIGITS && LabelledKey.isHex(digits, 0, digits.length);
  }

  private static int poolLength(byte[] key) {
    for (int i = 0; i < POOLS.size(); i++) {
      byte[] pool = POOLS.get(i);
      if (startsWith(key, HASH_DIGITS, pool)) {
        return pool.length;
      }
    }
    return 0;
  }

  /** Returns the end of a key without the rank of its context parallelism. */
  private static int withoutContext(byte[] key, int from, int end) {
    int size = separator(key, from, end);
    int rank = separator(key, from, size);
    boolean context =
        size < end
            && rank < size
            && startsWith(key, rank, CONTEXT)
            && LabelledKey.number(key, rank + CONTEXT.length, size) >= 0
            && LabelledKey.number(key, size + 1, end) >= 0;
    return context ? rank : end;
  }

  /** Returns where the last two fields start, with their separator, if they are numbers. */
  private static int pair(byte[] key, int from, int end) {
    int last = separator(key, from, end);
    int start = separator(key, from, last);
    return last < end && start < last && first(key, start, end) >= 0 && second(key, start, end) >= 0
        ? start
        : end;
  }

  private static int first(byte[] key, int pair, int end) {
    return LabelledKey.number(key, pair + 1, separator(key, pair + 1, end));
  }

  private static int second(byte[] key, int pair, int end) {
    return LabelledKey.number(key, separator(key, pair + 1, end) + 1, end);
  }

  /** Returns the last separator before an end, or the end if there is none. */
  private static int separator(byte[] key, int from, int end) {
    int at = end - 1;
    while (at >= from && key[at] != '_') {
      at--;
    }
    return at < from ? end : at;
  }

  private static boolean startsWith(byte[] key, int from, byte[] word) {
    int i = 0;
    while (i < word.length && from + i < key.length && key[from + i] == word[i]) {
      i++;
    }
    return i == word.length;
  }
}
