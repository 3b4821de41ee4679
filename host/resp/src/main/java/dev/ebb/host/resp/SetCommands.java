package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Expiries;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.store.SetResult;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChunkKeys;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SET and SETEX. */
final class SetCommands extends SessionCommands {

  static final String FULL = "OOM command not allowed when used memory > 'maxmemory'.";

  SetCommands(Commands on) {
    super(on);
  }

  void set(List<byte[]> arguments, @Nullable ValueWriter value) throws CommandException {
    ValueWriter writer = requireNonNull(value, "value is null");
    SetOptions options = options(arguments);
    byte[] key = arguments.get(1);
    boolean plain =
        options.condition() == Condition.ALWAYS
            && !options.wantsOld()
            && options.expiry() != Expiry.KEEP;
    if (plain || !remote.on() || store.length(key) >= 0) {
      commit(writer, options, null);
    } else if (options.wantsOld()) {
      remote.open(
          key,
          ByteRange::whole,
          writer::close,
          old -> {
            try (writer) {
              RemoteValue found =
                  old == null ? null : new RemoteValue(old.length(), old.reader().expiresAt());
              commit(writer, options, found, old);
            }
          });
    } else {
      remote.find(
          key,
          writer::close,
          found -> {
            try (writer) {
              commit(writer, options, found, null);
            }
          });
    }
  }

  /**
   * Commits a value whose key had none here, with that of another node, and its bytes if wanted.
   */
  private void commit(
      ValueWriter writer,
      SetOptions options,
      @Nullable RemoteValue found,
      @Nullable ValuePart old) {
    if (found == null) {
      commit(writer, options, old);
    } else if (options.condition() == Condition.IF_ABSENT) {
      remote.reply(old);
    } else {
      boolean ends = options.expiry() == Expiry.KEEP && found.expiresAt() != ObjectStore.NEVER;
      commit(
          writer,
          new SetOptions(
              Condition.ALWAYS,
              ends ? Expiry.AT : options.expiry(),
              ends ? found.expiresAt() : options.expiresAt(),
              options.wantsOld()),
          old);
    }
  }

  void setWithExpiry(List<byte[]> arguments, @Nullable ValueWriter value) throws CommandException {
    long at = Expiries.at(Text.integer(arguments.get(2)), "EX", "setex", false);
    commit(
        requireNonNull(value, "value is null"),
        new SetOptions(Condition.ALWAYS, Expiry.AT, at, false),
        null);
  }

  /** Commits a value and replies, with the previous one if another node has it. */
  private void commit(ValueWriter value, SetOptions options, @Nullable ValuePart remoteOld) {
    SetResult result = value.commit(options);
    remote.stored(value.key(), result);
    ValuePart old = result.old() == null ? remoteOld : ValuePart.whole(result.old());
    if (remoteOld != null && remoteOld != old) {
      // The key has been stored here meanwhile.
      remoteOld.close();
    }
    if (result.outcome() == SetResult.Outcome.NOT_KEPT) {
      connections.noRoom();
    }
    if (!remote.on()) {
      reply(options, result, old);
      return;
    }
    Runnable held =
        () -> {
          if (old != null) {
            old.close();
          }
        };
    if (result.outcome() == SetResult.Outcome.NOT_KEPT && isChangeable(value.key())) {
      // A previous value that another node or the disk has must not come back.
      remote.delete(List.of(value.key()), held, _ -> reply(options, result, old));
    } else {
      remote.settled(List.of(value.key()), held, () -> reply(options, result, old));
    }
  }

  /** Returns whether values of a key can differ. Metadata differ only with their main value. */
  private static boolean isChangeable(byte[] key) {
    return !ChunkKeys.isMetadata(key) && !ChunkKeys.isContentAddressed(key);
  }

  private void reply(SetOptions options, SetResult result, @Nullable ValuePart old) {
    boolean dropped = result.outcome() == SetResult.Outcome.NOT_KEPT;
    if (dropped && connections.options.failsWhenFull()) {
      if (old != null) {
        old.close();
      }
      replies.error(FULL);
    } else if (options.wantsOld()) {
      remote.reply(old);
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
          if (keep || (unit != null && !unit.equals(option)) || i + 1 == arguments.size()) {
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
