package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.store.SetResult;
import dev.ebb.host.store.ValueWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SET and SETEX. */
final class SetCommands {

  static final String FULL = "OOM command not allowed when used memory > 'maxmemory'.";

  private final Connections connections;
  private final Replies replies;

  SetCommands(Connections connections, Replies replies) {
    this.connections = connections;
    this.replies = replies;
  }

  void set(List<byte[]> arguments, @Nullable ValueWriter value) throws CommandException {
    commit(requireNonNull(value, "value is null"), options(arguments));
  }

  void setWithExpiry(List<byte[]> arguments, @Nullable ValueWriter value) throws CommandException {
    long at = Expiries.at(Text.integer(arguments.get(2)), "EX", "setex", false);
    commit(
        requireNonNull(value, "value is null"),
        new SetOptions(Condition.ALWAYS, Expiry.AT, at, false));
  }

  private void commit(ValueWriter value, SetOptions options) {
    SetResult result = value.commit(options);
    boolean dropped = result.outcome() == SetResult.Outcome.NOT_KEPT;
    if (dropped) {
      connections.noRoom();
    }
    if (dropped && connections.options.failsWhenFull()) {
      if (result.old() != null) {
        result.old().close();
      }
      replies.error(FULL);
    } else if (options.wantsOld()) {
      replies.valueOrNil(result.old());
    } else if (result.outcome() == SetResult.Outcome.UNMET) {
      replies.nil();
    } else {
      replies.ok();
    }
  }

  private static SetOptions options(List<byte[]> arguments) throws CommandException {
    Condition condition = Condition.ALWAYS;
    String unit = null;
    byte[] amount = null;
    boolean keep = false;
    boolean wantsOld = false;
    for (int i = 3; i < arguments.size(); i++) {
      String option = Text.upper(arguments.get(i));
      switch (option) {
        case "NX", "XX" -> {
          Condition asked = option.equals("NX") ? Condition.IF_ABSENT : Condition.IF_PRESENT;
          if (condition != Condition.ALWAYS && condition != asked) {
            throw CommandException.syntax();
          }
          condition = asked;
        }
        case "GET" -> wantsOld = true;
        case "KEEPTTL" -> {
          if (unit != null) {
            throw CommandException.syntax();
          }
          keep = true;
        }
        case "EX", "PX", "EXAT", "PXAT" -> {
          if (keep || unit != null || i + 1 == arguments.size()) {
            throw CommandException.syntax();
          }
          unit = option;
          amount = arguments.get(++i);
        }
        default -> throw CommandException.syntax();
      }
    }
    if (unit == null || amount == null) {
      return new SetOptions(condition, keep ? Expiry.KEEP : Expiry.NONE, 0, wantsOld);
    }
    long at = Expiries.at(Text.integer(amount), unit, "set", false);
    return new SetOptions(condition, Expiry.AT, at, wantsOld);
  }
}
