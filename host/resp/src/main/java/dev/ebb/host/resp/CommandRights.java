package dev.ebb.host.resp;

import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.resp.session.User;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether a user has the rights that a command needs. Refusals are worded as in Redis. */
final class CommandRights {

  private CommandRights() {}

  /** Fails if the user lacks the right to a command, or to one of its keys. */
  static void check(User user, Command command, List<byte[]> words) throws CommandException {
    // A client that maps the pool can read and write everything in it.
    boolean keysLack = mapsPool(command) && !user.usesAllKeys();
    if (keysLack || lacking(user, command, words) != null) {
      throw new CommandException(
          "NOPERM this user has no permissions to run the '%s' command"
              .formatted(
                  command.subcommands.isEmpty()
                      ? command.lower
                      : command.lower + "|" + Text.of(words.get(1)).toLowerCase(Locale.ROOT)));
    }
    if (!usesKeys(user, command, words)) {
      throw new CommandException(
          "NOPERM this user has no permissions to access one of the keys used as arguments");
    }
  }

  /** Returns what a user lacks for a refused command, for the log. It contains no key. */
  static String missing(User user, Command command, List<byte[]> words) {
    UserRight right = lacking(user, command, words);
    return right == null
        ? "a key of '%s' has none of the prefixes of the user '%s'".formatted(command.lower, user)
        : "the user '%s' lacks the right '%s', which '%s' needs"
            .formatted(user, right.name().toLowerCase(Locale.ROOT), command.lower);
  }

  private static @Nullable UserRight lacking(User user, Command command, List<byte[]> words) {
    UserRight right = command.right(words);
    if (right != null && !user.has(right)) {
      return right;
    }
    if (mapsPool(command) && !user.has(UserRight.WRITE)) {
      return UserRight.WRITE;
    }
    boolean returnsOld =
        command == Command.SET
            && words.stream().skip(3).anyMatch(option -> Text.upper(option).equals("GET"));
    return returnsOld && !user.has(UserRight.READ) ? UserRight.READ : null;
  }

  private static boolean mapsPool(Command command) {
    return command == Command.EBB_MAP || command == Command.EBB_SEQ;
  }

  private static boolean usesKeys(User user, Command command, List<byte[]> words) {
    Command.Keys keys = command.keys;
    if (user.usesAllKeys()) {
      return true;
    }
    if (keys.first() == 0) {
      return user.uses(keys.of(words));
    }
    boolean all = true;
    for (int i = keys.first(); all && i <= keys.end(words); i += keys.step()) {
      all = user.uses(words.get(i));
    }
    return all;
  }
}
