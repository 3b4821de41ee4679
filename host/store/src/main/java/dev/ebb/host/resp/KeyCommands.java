package dev.ebb.host.resp;

import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.ScanPage;
import dev.ebb.host.store.StoreConnection;
import dev.ebb.host.store.ValueReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Commands that read or remove keys. */
final class KeyCommands {

  private static final int SCAN_STEPS = 10;

  private final ObjectStore store;
  private final StoreConnection connection;
  private final Replies replies;

  KeyCommands(ObjectStore store, StoreConnection connection, Replies replies) {
    this.store = store;
    this.connection = connection;
    this.replies = replies;
  }

  void run(Command command, List<byte[]> arguments) throws CommandException {
    byte[] key = arguments.get(1);
    List<byte[]> keys = arguments.subList(1, arguments.size());
    switch (command) {
      case GET -> replies.valueOrNil(connection.get(key));
      case GETRANGE -> range(key, Text.integer(arguments.get(2)), Text.integer(arguments.get(3)));
      case MGET -> {
        List<@Nullable ValueReader> readers = new ArrayList<>(keys.size());
        keys.forEach(each -> readers.add(connection.get(each)));
        replies.array(readers.size());
        readers.forEach(replies::valueOrNil);
      }
      case STRLEN -> replies.integer(Math.max(0, store.length(key)));
      case EXISTS -> replies.integer(connection.exists(keys));
      case DEL, UNLINK -> replies.integer(keys.stream().filter(store::delete).count());
      case TTL -> replies.integer(left(key, 1000));
      case PTTL -> replies.integer(left(key, 1));
      case EXPIRE -> expire(key, arguments);
      case TYPE -> replies.simple(store.length(key) >= 0 ? "string" : "none");
      case SCAN -> scan(arguments);
      default -> throw new IllegalArgumentException(command.lower);
    }
  }

  private void range(byte[] key, long from, long to) {
    ValueReader reader = connection.get(key);
    if (reader == null) {
      replies.bulk("");
      return;
    }
    long length = reader.length();
    long start = Math.max(0, from < 0 ? length + from : from);
    long end = Math.min(length - 1, Math.max(0, to < 0 ? length + to : to));
    boolean empty = length == 0 || start > end || (from < 0 && to < 0 && from > to);
    replies.value(reader, empty ? 0 : start, empty ? 0 : end + 1);
  }

  private long left(byte[] key, int unitMillis) {
    long at = store.expiresAt(key);
    if (at == -1) {
      return -2;
    }
    long left = Math.max(0, at - System.currentTimeMillis());
    return at == ObjectStore.NEVER ? -1 : (left + unitMillis / 2) / unitMillis;
  }

  private void expire(byte[] key, List<byte[]> arguments) throws CommandException {
    long seconds = Text.integer(arguments.get(2));
    long at = Expiries.at(seconds, "EX", "expire", true);
    var condition =
        Expiries.condition(arguments.subList(3, arguments.size()), at, ObjectStore.NEVER);
    replies.integer(store.expire(key, at, condition) ? 1 : 0);
  }

  private void scan(List<byte[]> arguments) throws CommandException {
    long cursor = Text.integer(arguments.get(1), "ERR invalid cursor");
    long steps = SCAN_STEPS;
    Predicate<byte[]> wanted = key -> true;
    for (int i = 2; i < arguments.size(); i += 2) {
      if (i + 1 == arguments.size()) {
        throw CommandException.syntax();
      }
      byte[] value = arguments.get(i + 1);
      switch (Text.upper(arguments.get(i))) {
        case "MATCH" -> wanted = wanted.and(Text.pattern(value, false)::matches);
        case "COUNT" -> steps = Text.integer(value);
        case "TYPE" -> {
          boolean strings = Text.upper(value).equals("STRING");
          wanted = wanted.and(key -> strings);
        }
        default -> throw CommandException.syntax();
      }
    }
    if (steps < 1) {
      throw CommandException.syntax();
    }
    ScanPage page = store.scan(cursor, (int) Math.min(steps, 1 << 16), wanted);
    replies.array(2);
    replies.bulk(Long.toString(page.next()));
    replies.array(page.keys().size());
    page.keys().forEach(replies::bulk);
  }
}
