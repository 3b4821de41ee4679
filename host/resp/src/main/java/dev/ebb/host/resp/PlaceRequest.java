package dev.ebb.host.resp;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Expiries;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of EBB.PLACE: {@code [EX seconds | PX milliseconds] KEYS key bytes [key bytes
 * ...]}.
 *
 * @param life the time to live of each value
 * @param values at least one
 */
record PlaceRequest(TimeToLive life, List<Value> values) {

  static final int OPTIONS = 1;

  static final int STEP = 2;

  @SuppressWarnings("ArrayRecordComponent")
  record Value(byte[] key, long bytes) {}

  /** The time to live of a value, which begins when it is committed. */
  record TimeToLive(@Nullable String unit, long amount) {

    static final TimeToLive NONE = new TimeToLive(null, 0);

    SetOptions options() throws CommandException {
      return unit == null
          ? SetOptions.PLAIN
          : new SetOptions(
              Condition.ALWAYS, Expiry.AT, Expiries.at(amount, unit, "ebb.place", false), false);
    }
  }

  PlaceRequest {
    values = List.copyOf(values);
  }

  static PlaceRequest parse(List<byte[]> arguments, long maxBytes) throws CommandException {
    List<byte[]> rest = arguments.subList(OPTIONS, arguments.size());
    int keyword = EbbRequest.keyword(rest);
    int first = keyword + 1;
    if (first >= rest.size() || (rest.size() - first) % STEP != 0) {
      throw new CommandException(
          "ERR EBB.PLACE needs KEYS and, behind it, pairs of a key and a size in bytes");
    }
    TimeToLive life = timeToLive(rest.subList(0, keyword));
    List<Value> values = new ArrayList<>((rest.size() - first) / STEP);
    for (int i = first; i < rest.size(); i += STEP) {
      values.add(new Value(rest.get(i), size(rest.get(i + 1), maxBytes)));
    }
    return new PlaceRequest(life, values);
  }

  /** Returns the keys of a command, of which there are none at its end. */
  static List<byte[]> keys(List<byte[]> arguments) {
    List<byte[]> rest = arguments.subList(OPTIONS, arguments.size());
    List<byte[]> keys = new ArrayList<>();
    for (int i = EbbRequest.keyword(rest) + 1; i < rest.size(); i += STEP) {
      keys.add(rest.get(i));
    }
    return keys;
  }

  private static TimeToLive timeToLive(List<byte[]> options) throws CommandException {
    if (options.isEmpty()) {
      return TimeToLive.NONE;
    }
    String unit = Text.upper(options.getFirst());
    if (options.size() != 2 || !List.of("EX", "PX").contains(unit)) {
      throw CommandException.syntax();
    }
    TimeToLive life = new TimeToLive(unit, Text.integer(options.get(1)));
    var _ = life.options();
    return life;
  }

  private static long size(byte[] given, long maxBytes) throws CommandException {
    long bytes;
    try {
      bytes = Text.integer(given);
    } catch (CommandException notANumber) {
      throw wrongSize(given, maxBytes);
    }
    if (bytes < 0 || bytes > maxBytes) {
      throw wrongSize(given, maxBytes);
    }
    return bytes;
  }

  private static CommandException wrongSize(byte[] given, long maxBytes) {
    return new CommandException(
        "ERR value size '%s' must be 0 to %d bytes, see ebb.server.max-value"
            .formatted(Text.of(given), maxBytes));
  }
}
