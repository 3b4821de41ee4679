package dev.ebb.host.store.key;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What separates values computed from the same tokens. Values of two namespaces have different
 * keys, so that no request of one finds those of the other.
 *
 * @param model null if the key names none
 * @param lora the LoRA adapter, of a field {@code lora%NAME}; null if the key names none
 * @param salt the cache salt, or other tags of LMCache with a comma between; null if there is none
 * @param deployment the hexadecimal digits in which Ebb's storage backends name a deployment; null
 *     if there are none
 */
public record KeyNamespace(
    @Nullable String model,
    @Nullable String lora,
    @Nullable String salt,
    @Nullable String deployment) {

  private static final String LORA = "lora%";

  private static final KeyNamespace NONE = new KeyNamespace(null, null, null, null);

  /** Returns the namespace in a key. Parses all of it: not for commands of clients. */
  public static KeyNamespace of(byte[] key) {
    int end = ChunkKeys.stemLength(key);
    LabelledKey parts = LabelledKey.parse(key, end);
    if (parts == null) {
      return NONE;
    }
    int from = Math.max(parts.modelEnd(), parts.hashEnd());
    String tenant = text(key, parts.tenantStart(), parts.tenantEnd());
    String lora = null;
    String salt = null;
    String deployment = null;
    for (int at = from, next; at < end; at = next + 1) {
      next = LabelledKey.fieldEnd(key, at, end);
      String field = text(key, at, next);
      if (field.startsWith(LORA)) {
        lora = field.substring(LORA.length());
      } else if (field.indexOf('%') > 0 || (!field.isEmpty() && field.equals(tenant))) {
        salt = salt == null ? field : salt + "," + field;
      } else if (PageKey.isNamespace(field) && PageKey.is(key)) {
        deployment = field;
      }
    }
    String model = text(key, parts.modelStart(), parts.modelEnd());
    return new KeyNamespace(model, lora, salt, deployment);
  }

  private static String text(byte[] key, int from, int end) {
    return new String(key, from, Math.max(0, end - from), StandardCharsets.UTF_8);
  }
}
