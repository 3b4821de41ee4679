package dev.ebb.host.resp;

import dev.ebb.host.config.UserRight;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rights that commands need, and whether a user has them. Refusals are worded as in Redis. */
final class CommandRights {

  private CommandRights() {}

  /** Returns the right that a command needs; null if a login is enough. */
  static @Nullable UserRight of(Command command, List<byte[]> arguments) {
    return switch (command) {
      case ACL -> isOneOf(arguments, "WHOAMI", "HELP") ? null : command.right;
      case CLIENT -> isOneOf(arguments, "LIST") ? UserRight.ADMIN : command.right;
      default -> command.right;
    };
  }

  /**
   * Checks a command, of whose arguments there are enough.
   *
   * @throws CommandException if the user lacks the right to it, or to one of its keys
   */
  static void check(User user, Command command, List<byte[]> arguments) throws CommandException {
    if (!mayRun(user, command, arguments)) {
      throw new CommandException(
          "NOPERM this user has no permissions to run the '%s' command"
              .formatted(fullName(command, arguments)));
    }
    if (!usesKeys(user, command, arguments)) {
      throw new CommandException(
          "NOPERM this user has no permissions to access one of the keys used as arguments");
    }
  }

  /** Returns what a user lacks for a refused command, for the log. It contains no key. */
  static String missing(User user, Command command, List<byte[]> arguments) {
    UserRight needed = of(command, arguments);
    UserRight right =
        needed != null && !user.has(needed)
            ? needed
            : switch (command) {
              case EBB_MAP -> user.has(UserRight.WRITE) ? null : UserRight.WRITE;
              case SET -> mayRun(user, command, arguments) ? null : UserRight.READ;
              default -> null;
            };
    return right == null
        ? "a key of '%s' has none of the prefixes of the user '%s'".formatted(command.lower, user)
        : "the user '%s' lacks the right '%s', which '%s' needs"
            .formatted(user, right.name().toLowerCase(Locale.ROOT), command.lower);
  }

  private static boolean mayRun(User user, Command command, List<byte[]> arguments) {
    UserRight right = of(command, arguments);
    boolean has = right == null || user.has(right);
    return switch (command) {
      // A client that maps the pool can read and write everything in it.
      case EBB_MAP -> has && user.has(UserRight.WRITE) && user.usesAllKeys();
      case SET -> has && (user.has(UserRight.READ) || !returnsOldValue(arguments));
      default -> has;
    };
  }

  private static boolean returnsOldValue(List<byte[]> arguments) {
    return arguments.stream().skip(3).anyMatch(option -> Text.upper(option).equals("GET"));
  }

  private static boolean usesKeys(User user, Command command, List<byte[]> arguments) {
    if (user.usesAllKeys()) {
      return true;
    }
    if (command == Command.EBB_ROUTE) {
      return user.uses(EbbCommands.routeKeys(arguments));
    }
    if (command.hasMovableKeys()) {
      return user.uses(command.keys(arguments));
    }
    int last = command.lastKey < 0 ? arguments.size() + command.lastKey : command.lastKey;
    boolean all = true;
    for (int i = command.firstKey; all && i > 0 && i <= last; i += command.keyStep) {
      all = user.uses(arguments.get(i));
    }
    return all;
  }

  private static boolean isOneOf(List<byte[]> arguments, String... subcommands) {
    return arguments.size() > 1 && List.of(subcommands).contains(Text.upper(arguments.get(1)));
  }

  /** Returns the name of a command, with its subcommand. */
  private static String fullName(Command command, List<byte[]> arguments) {
    return switch (command) {
      case ACL, CLIENT, CONFIG ->
          command.lower + "|" + Text.of(arguments.get(1)).toLowerCase(Locale.ROOT);
      default -> command.lower;
    };
  }
}
