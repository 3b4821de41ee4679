package dev.ebb.host.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the labels in a key of LMCache: {@code model@world@worker@hash@dtype} or {@code
 * model@rank@group@hash@salt}, followed by more fields or the suffix of one of the chunk's two
 * values.
 *
 * @param modelEnd the end of the model's name, which starts the key
 * @param tenantStart the start of the salt, which is the tenant's name
 */
record LabelledKey(int modelEnd, int rank, int tenantStart, int tenantEnd) {

  private static final int MOST_DIGITS = 6;

  private static final List<byte[]> TYPES =
      List.of(
              "half",
              "float16",
              "fp16",
              "bfloat16",
              "bf16",
              "float",
              "float32",
              "fp32",
              "double",
              "float64",
              "fp64",
              "fp8",
              "fp8_e4m3",
              "fp8_e5m2",
              "float8_e4m3fn",
              "float8_e5m2",
              "int8",
              "uint8")
          .stream()
          .map(name -> name.getBytes(StandardCharsets.US_ASCII))
          .toList();

  /** Parses a key; null for a plain one. */
  static @Nullable LabelledKey parse(byte[] key) {
    int end = KeyRole.of(key).stemLength(key);
    int model = at(key, 0, end);
    if (model <= 0) {
      return null;
    }
    int first = at(key, model + 1, end);
    int second = first < 0 ? -1 : at(key, first + 1, end);
    int hash = second < 0 ? -1 : at(key, second + 1, end);
    if (hash < 0) {
      return null;
    }
    int rank = number(key, model + 1, first);
    int worker = number(key, first + 1, second);
    if (rank < 0 || worker < 0) {
      return null;
    }
    int more = at(key, hash + 1, end);
    int last = more < 0 ? end : more;
    return isType(key, hash + 1, last)
        ? new LabelledKey(model, worker, last, last)
        : new LabelledKey(model, rank, hash + 1, last);
  }

  int hash(byte[] key) {
    int hash = rank;
    for (int i = 0; i < modelEnd; i++) {
      hash = 31 * hash + key[i];
    }
    for (int i = tenantStart; i < tenantEnd; i++) {
      hash = 31 * hash + key[i];
    }
    return hash ^ (hash >>> 16);
  }

  private static int at(byte[] key, int from, int end) {
    for (int i = from; i < end; i++) {
      if (key[i] == '@') {
        return i;
      }
    }
    return -1;
  }

  /** Parses a whole number, or -1. */
  private static int number(byte[] key, int from, int end) {
    if (from == end || end - from > MOST_DIGITS) {
      return -1;
    }
    int number = 0;
    for (int i = from; i < end; i++) {
      if (key[i] < '0' || key[i] > '9') {
        return -1;
      }
      number = 10 * number + key[i] - '0';
    }
    return number;
  }

  private static boolean isType(byte[] key, int from, int end) {
    for (int i = 0; i < TYPES.size(); i++) {
      byte[] type = TYPES.get(i);
      if (Arrays.equals(type, 0, type.length, key, from, end)) {
        return true;
      }
    }
    return false;
  }
}
