package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Expiries;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.ScanPage;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Commands that read or remove keys. */
final class KeyCommands extends SessionCommands {

  private static final int SCAN_STEPS = 10;

  KeyCommands(Commands on) {
    super(on);
  }

  void get(List<byte[]> words) {
    byte[] key = words.get(1);
    ValueReader reader = connection.get(key, remote.on());
    if (reader == null && remote.on()) {
      remote.read(key, ByteRange::whole, remote::reply);
    } else {
      replies.valueOrNil(reader);
    }
  }

  void getAll(List<byte[]> words) throws CommandException {
    List<byte[]> keys = words.subList(1, words.size());
    List<@Nullable ValuePart> parts = new ArrayList<>(keys.size());
    keys.forEach(each -> parts.add(ValuePart.whole(connection.get(each, remote.on()))));
    remote.read(keys, parts, ByteRange::whole, remote::reply);
  }

  void exists(List<byte[]> words) throws CommandException {
    List<byte[]> keys = words.subList(1, words.size());
    remote.find(keys, elsewhere -> replies.integer(connection.exists(keys, elsewhere)));
  }

  void length(List<byte[]> words) {
    lengthOf(words.get(1), length -> replies.integer(Math.max(0, length)));
  }

  void type(List<byte[]> words) {
    lengthOf(words.get(1), length -> replies.simple(length >= 0 ? "string" : "none"));
  }

  private void lengthOf(byte[] key, LongConsumer then) {
    describe(key, store.length(key), RemoteValue::bytes, then);
  }

  void delete(List<byte[]> words) {
    List<byte[]> keys = words.subList(1, words.size());
    if (!remote.on()) {
      replies.integer(keys.stream().filter(store::delete).count());
      return;
    }
    Set<ByteBuffer> distinct = new LinkedHashSet<>();
    keys.forEach(key -> distinct.add(ByteBuffer.wrap(key)));
    List<byte[]> each = distinct.stream().map(ByteBuffer::array).toList();
    List<Boolean> here = each.stream().map(key -> store.length(key) >= 0).toList();
    each.forEach(this::deleteHere);
    remote.delete(
        each,
        elsewhere -> {
          int removed = 0;
          for (int i = 0; i < here.size(); i++) {
            removed += here.get(i) || elsewhere.get(i) ? 1 : 0;
          }
          replies.integer(removed);
        });
  }

  /** Deletes a value; of a chunk both values, as other nodes do. */
  private void deleteHere(byte[] key) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    store.delete(mainKey);
    if (ChunkKeys.hasMetadata(mainKey)) {
      store.delete(ChunkKeys.metadataKey(mainKey));
    }
  }

  /**
   * Continues with a property of a value, which another node may have.
   *
   * @param here the property if the value is here, otherwise negative
   */
  private void describe(
      byte[] key, long here, ToLongFunction<RemoteValue> property, LongConsumer then) {
    if (here >= 0 || !remote.on()) {
      then.accept(here);
    } else {
      remote.find(
          key, () -> {}, found -> then.accept(found == null ? -1 : property.applyAsLong(found)));
    }
  }

  void range(List<byte[]> words) throws CommandException {
    byte[] key = words.get(1);
    long from = Text.integer(words.get(2));
    long to = Text.integer(words.get(3));
    LongFunction<ByteRange> wanted = length -> range(length, from, to);
    ValueReader here = connection.get(key, remote.on());
    if (here != null) {
      remote.reply(new ValuePart(here, wanted.apply(here.length())));
    } else if (remote.on()) {
      remote.read(key, wanted, this::partOrEmpty);
    } else {
      partOrEmpty(null);
    }
  }

  private void partOrEmpty(@Nullable ValuePart part) {
    if (part == null) {
      replies.bulk("");
    } else {
      remote.reply(part);
    }
  }

  private static ByteRange range(long length, long from, long to) {
    long start = Math.max(0, from < 0 ? length + from : from);
    long end = Math.min(length - 1, Math.max(0, to < 0 ? length + to : to));
    boolean empty = length == 0 || start > end || (from < 0 && to < 0 && from > to);
    return empty ? new ByteRange(0, 0) : new ByteRange(start, end + 1);
  }

  void ends(List<byte[]> words, int unitMillis) {
    byte[] key = words.get(1);
    describe(
        key,
        store.expiresAt(key),
        RemoteValue::expiresAt,
        at -> replies.integer(left(at, unitMillis)));
  }

  private static long left(long at, int unitMillis) {
    if (at == -1) {
      return -2;
    }
    long left = Math.max(0, at - System.currentTimeMillis());
    return at == ObjectStore.NEVER ? -1 : (left + unitMillis / 2) / unitMillis;
  }

  void expire(List<byte[]> words) throws CommandException {
    byte[] key = words.get(1);
    LongFunction<LongPredicate> condition =
        Expiries.condition(words.subList(3, words.size()), ObjectStore.NEVER);
    long at = Expiries.at(Text.integer(words.get(2)), "EX", "expire", true);
    remote.restore(
        List.of(key),
        restored -> replies.integer(store.expire(key, at, condition.apply(at)) ? 1 : 0));
  }

  void scan(List<byte[]> words) throws CommandException {
    long cursor = Text.cursor(words.get(1));
    long steps = SCAN_STEPS;
    Predicate<byte[]> wanted = requireNonNull(session.user)::uses;
    for (int i = 2; i < words.size(); i += 2) {
      if (i + 1 == words.size()) {
        throw CommandException.syntax();
      }
      byte[] value = words.get(i + 1);
      switch (Text.upper(words.get(i))) {
        case "MATCH" -> wanted = wanted.and(Text.pattern(value, false)::matches);
        case "COUNT" -> {
          steps = Text.integer(value);
          if (steps < 1) {
            throw CommandException.syntax();
          }
        }
        case "TYPE" -> {
          boolean strings = Text.upper(value).equals("STRING");
          wanted = wanted.and(key -> strings);
        }
        default -> throw CommandException.syntax();
      }
    }
    ScanPage page = store.scan(cursor, (int) Math.min(steps, 1 << 16), wanted);
    replies.value(List.of(Long.toString(page.next()), page.keys()));
  }
}
