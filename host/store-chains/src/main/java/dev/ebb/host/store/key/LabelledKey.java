package dev.ebb.host.store.key;

import dev.ebb.host.group.ObjectGroups;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The positions of the labels in a key of LMCache: {@code model@world@worker@hash@dtype}, {@code
 * model@kv_rank@group@hash@salt} of its native client, with a prefix and {@code @} before it for
 * Valkey, or the form of an earlier version, followed by more fields or the suffix of one of the
 * chunk's two values; or in a {@link PageKey} of SGLang.
 *
 * @param rank the worker's number; of the native client, its rank in the world
 * @param world how many workers have a key for each chunk; 1 if the key does not tell
 * @param rankStart the start of what makes the keys of these workers different
 * @param hashStart the start of the hash of the chunk and those before it
 * @param tenantStart the start of the salt, which is the tenant's name
 * @param groupStart the start of the object group; the end of the rank if the key names none
 * @param groupEnd the end of the object group
 * @param tiled whether it is of the native client, which looks up all chunks of a prompt at once,
 *     over several connections
 */
public record LabelledKey(
    int modelStart,
    int modelEnd,
    int rank,
    int world,
    int rankStart,
    int rankEnd,
    int hashStart,
    int hashEnd,
    int tenantStart,
    int tenantEnd,
    int groupStart,
    int groupEnd,
    boolean tiled) {

  private static final int MOST_DIGITS = 6;

  /** The digits of the native client's ranks. */
  private static final int RANK_DIGITS = 8;

  /** A group has fewer digits than any hash, which tells keys with a group from those without. */
  private static final int MOST_GROUP_DIGITS = 4;

  /** What starts the keys of earlier versions, before the model. */
  private static final List<byte[]> FORMATS = ascii("vllm huggingface sglang");

  private static final List<byte[]> TYPES =
      ascii(
          "half float16 fp16 bfloat16 bf16 float float32 fp32 double float64 fp64 fp8"
              + " fp8_e4m3 fp8_e4m3fn fp8_e4m3fnuz fp8_e5m2 fp8_e5m2fnuz float8_e4m3fn"
              + " float8_e5m2 int8 uint8 int16 int32 int64 bool");

  public static @Nullable LabelledKey parse(byte[] key) {
    return parse(key, ChunkKeys.stemLength(key));
  }

  /** Parses a key with its length without the suffix of one of a chunk's two values. */
  static @Nullable LabelledKey parse(byte[] key, int stem) {
    LabelledKey page = key.length > PageKey.HASH_DIGITS ? PageKey.parse(key) : null;
    if (page != null) {
      return page;
    }
    // Earlier versions of LMCache's Valkey connector put a colon before the suffix.
    boolean colon = stem > 0 && stem < key.length && key[stem - 1] == ':';
    int end = colon ? stem - 1 : stem;
    int first = fieldEnd(key, 0, end);
    if (first == 0 || first == end) {
      return null;
    }
    LabelledKey found = ofNativeClient(key, 0, first, end);
    if (found == null) {
      found = ofNativeClient(key, first + 1, fieldEnd(key, first + 1, end), end);
    }
    // The name of a model may contain the separator.
    for (int model = first; found == null && model < end; model = fieldEnd(key, model + 1, end)) {
      found = ofWorker(key, first, model, end);
    }
    return found;
  }

  private static @Nullable LabelledKey ofNativeClient(
      byte[] key, int modelStart, int model, int end) {
    int rank = fieldEnd(key, model + 1, end);
    if (rank - model - 1 != RANK_DIGITS || rank == end || !isHex(key, model + 1, rank)) {
      return null;
    }
    int group = fieldEnd(key, rank + 1, end);
    boolean grouped = group - rank - 1 <= MOST_GROUP_DIGITS;
    int hash = grouped ? group + 1 : rank + 1;
    int hashEnd = fieldEnd(key, hash, end);
    if (!isHex(key, rank + 1, group) || !isHex(key, hash, hashEnd)) {
      return null;
    }
    if (modelStart > 0 && (!grouped || model == modelStart)) {
      return null;
    }
    // Two digits each: world, rank in the world, local world, local rank.
    int world = byteOf(key, model + 1);
    int salt = Math.min(hashEnd + 1, end);
    boolean joins = grouped && isJoined(key, rank + 1, group);
    return new LabelledKey(
        modelStart,
        model,
        byteOf(key, model + 3),
        world,
        model + 3,
        rank,
        hash,
        hashEnd,
        salt,
        fieldEnd(key, salt, end),
        joins ? rank + 1 : rank,
        joins ? group : rank,
        true);
  }

  private static int byteOf(byte[] key, int from) {
    return 16 * Character.digit(key[from], 16) + Character.digit(key[from + 1], 16);
  }

  private static @Nullable LabelledKey ofWorker(byte[] key, int first, int model, int end) {
    int world = fieldEnd(key, model + 1, end);
    int worker = fieldEnd(key, world + 1, end);
    int workers = number(key, model + 1, world);
    if (worker >= end || workers < 0) {
      return null;
    }
    int start = world + 1;
    int rank = number(key, start, worker);
    int hash = worker + 1;
    int hashEnd = fieldEnd(key, hash, end);
    if (rank < 0) {
      return null;
    }
    boolean whole = model == first;
    boolean hashed = whole || isHash(key, hash, hashEnd);
    if (!whole && hashed && isOneOf(FORMATS, key, 0, first)) {
      return new LabelledKey(
          first + 1, model, rank, workers, start, worker, hash, hashEnd, end, end, worker, worker,
          false);
    }
    if (hashEnd == end) {
      return null;
    }
    int last = fieldEnd(key, hashEnd + 1, end);
    if (isOneOf(TYPES, key, hashEnd + 1, last)) {
      return hashed
          ? new LabelledKey(
              0, model, rank, workers, start, worker, hash, hashEnd, last, last, worker, worker,
              false)
          : null;
    }
    return whole
        ? new LabelledKey(
            0,
            model,
            workers,
            1,
            start,
            start,
            hash,
            hashEnd,
            hashEnd + 1,
            last,
            start,
            start,
            false)
        : null;
  }

  /** Returns whether the chunk has such a value for each of several workers. */
  boolean isOfSeveralRanks() {
    return world > 1 && rank < world;
  }

  /** Returns whether the key names an object group whose objects belong to their chunk. */
  boolean isGrouped() {
    return groupEnd > groupStart;
  }

  /** Returns the number of the object group; 0 if the key names none. */
  int group(byte[] key) {
    return group(key, groupStart, groupEnd);
  }

  /**
   * Returns whether objects of a group belong to their chunk. No model has more groups, and the
   * objects of a chunk are looked at one by one.
   */
  static boolean isJoined(byte[] key, int from, int end) {
    return end - from <= MOST_GROUP_DIGITS && group(key, from, end) < ObjectGroups.MOST;
  }

  private static int group(byte[] key, int from, int end) {
    int group = 0;
    for (int i = from; i < end; i++) {
      group = 16 * group + Character.digit(key[i], 16);
    }
    return group;
  }

  /**
   * Returns what the first bytes of a key have in common with the keys of other workers and object
   * groups for the same chunk; null if they are that themselves.
   */
  byte @Nullable [] common(byte[] key, int length) {
    boolean ranks = isOfSeveralRanks();
    boolean first = group(key) == 0;
    if (!ranks && first) {
      return null;
    }
    byte[] common = new byte[length];
    int size = 0;
    int at = 0;
    if (!first && groupEnd < rankStart) {
      size = firstGroup(key, at, common, size);
      at = groupEnd;
    }
    if (ranks) {
      size = copy(key, at, rankStart, common, size);
      at = rankEnd;
    }
    if (!first && groupEnd >= rankStart) {
      size = firstGroup(key, at, common, size);
      at = groupEnd;
    }
    size = copy(key, at, length, common, size);
    return Arrays.copyOf(common, size);
  }

  /** Returns the key of the native client for another object of the same chunk. */
  byte[] of(byte[] key, int group, int otherRank) {
    int localWorld = byteOf(key, rankStart + 2);
    int localRank = localWorld == 0 ? otherRank : otherRank % localWorld;
    String labels = "%02x%02x%02x@%x".formatted(otherRank, localWorld, localRank, group);
    byte[] middle = labels.getBytes(StandardCharsets.US_ASCII);
    byte[] other = new byte[rankStart + middle.length + key.length - groupEnd];
    copy(key, 0, rankStart, other, 0);
    copy(middle, 0, middle.length, other, rankStart);
    copy(key, groupEnd, key.length, other, rankStart + middle.length);
    return other;
  }

  /** Copies what is before the group, and the number of the first group in its place. */
  private int firstGroup(byte[] key, int from, byte[] into, int at) {
    int size = copy(key, from, groupStart, into, at);
    into[size] = '0';
    return size + 1;
  }

  private static int copy(byte[] key, int from, int to, byte[] into, int at) {
    System.arraycopy(key, from, into, at, to - from);
    return at + to - from;
  }

  int labelStart() {
    return tiled ? rankEnd : groupStart;
  }

  int labelEnd() {
    return tiled ? hashStart : groupEnd;
  }

  int hash(byte[] key) {
    int hash = rank;
    for (int i = labelStart(); i < labelEnd(); i++) {
      hash = 31 * hash + key[i];
    }
    for (int i = modelStart; i < modelEnd; i++) {
      hash = 31 * hash + key[i];
    }
    for (int i = tenantStart; i < tenantEnd; i++) {
      hash = 31 * hash + key[i];
    }
    return hash ^ (hash >>> 16);
  }

  static int fieldEnd(byte[] key, int from, int end) {
    int at = from;
    while (at < end && key[at] != '@') {
      at++;
    }
    return Math.min(at, end);
  }

  static int number(byte[] key, int from, int end) {
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

  /** Returns whether a field is a hash, which was a signed number in some versions. */
  private static boolean isHash(byte[] key, int from, int end) {
    return isHex(key, from < end && key[from] == '-' ? from + 1 : from, end);
  }

  static boolean isHex(byte[] key, int from, int end) {
    for (int i = from; i < end; i++) {
      if (Character.digit(key[i], 16) < 0) {
        return false;
      }
    }
    return from < end;
  }

  private static boolean isOneOf(List<byte[]> words, byte[] key, int from, int end) {
    for (int i = 0; i < words.size(); i++) {
      byte[] word = words.get(i);
      if (Arrays.equals(word, 0, word.length, key, from, end)) {
        return true;
      }
    }
    return false;
  }

  static List<byte[]> ascii(String words) {
    return Arrays.stream(words.split(" "))
        .map(word -> word.getBytes(StandardCharsets.US_ASCII))
        .toList();
  }
}
