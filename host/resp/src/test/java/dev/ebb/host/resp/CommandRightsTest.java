package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.resp.session.User;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandRightsTest {

  /** Commands that any user may run, whose replies contain nothing of other users. */
  private static final Set<Command> WITHOUT_RIGHT =
      EnumSet.of(
          Command.ACL,
          Command.AUTH,
          Command.CLIENT,
          Command.COMMAND,
          Command.EBB_WAIT,
          Command.ECHO,
          Command.HELLO,
          Command.MODULE,
          Command.PING,
          Command.QUIT,
          Command.SELECT);

  private static User user(Set<UserRight> rights, String... prefixes) {
    return User.of(new UserConfig("ann", Accounts.HASH, rights, List.of(prefixes), null));
  }

  private static List<byte[]> arguments(String... words) {
    return Arrays.stream(words).map(Text::bytes).toList();
  }

  /** A call of a command with these keys. */
  private static List<byte[]> call(Command command, String... keys) {
    List<String> words = new ArrayList<>(List.of(command.lower));
    switch (command) {
      case EBB_REQUEST -> words.addAll(List.of("BEGIN", "id", "PRIORITY", "1", "KEYS"));
      case EBB_ROUTE -> words.addAll(List.of("TOKENS", "16"));
      case EBB_PLACE -> words.addAll(List.of("EX", "1", "KEYS"));
      case EBB_MGETRANGE -> words.addAll(List.of("0", "1"));
      default -> {}
    }
    for (String key : hasKeys(command) ? List.of(keys) : List.<String>of()) {
      words.add(key);
      if (command == Command.EBB_PLACE) {
        words.add("1");
      }
    }
    while (words.size() < Math.abs(command.arity)) {
      words.add("1");
    }
    return arguments(words.toArray(String[]::new));
  }

  private static boolean hasKeys(Command command) {
    return command.keys.first() > 0 || command.keys.movable() || command == Command.EBB_ROUTE;
  }

  private static boolean hasManyKeys(Command command) {
    return hasKeys(command) && (command.keys.first() == 0 || command.keys.last() < 0);
  }

  @Test
  void theLogSaysWhetherTheRightOrThePrefixIsMissing() {
    User reader = user(EnumSet.of(UserRight.READ), "a:");
    assertThat(CommandRights.missing(reader, Command.SET, arguments("set", "a:1", "v")))
        .contains("'ann'", "right 'write'", "'set'");
    assertThat(CommandRights.missing(reader, Command.GET, arguments("get", "secret")))
        .contains("'ann'", "prefix", "'get'")
        .doesNotContain("secret");
    User writer = user(EnumSet.of(UserRight.WRITE));
    assertThat(CommandRights.missing(writer, Command.SET, arguments("set", "1", "v", "get")))
        .contains("right 'read'");
    assertThat(CommandRights.missing(writer, Command.FLUSHALL, arguments("flushall")))
        .contains("right 'admin'");
  }

  private static boolean mayRun(User user, List<byte[]> call) {
    try {
      CommandRights.check(user, command(call), call);
      return true;
    } catch (CommandException refused) {
      return false;
    }
  }

  private static Command command(List<byte[]> call) {
    return java.util.Objects.requireNonNull(Command.of(call.getFirst()));
  }

  @ParameterizedTest
  @EnumSource(Command.class)
  void everyCommandHasTheRightThatItsFlagsSay(Command command) {
    UserRight right = command.right(call(command, "k"));

    if (WITHOUT_RIGHT.contains(command)) {
      // A subcommand of ACL that is not listed needs the right, too.
      assertThat(right).isIn(null, UserRight.ADMIN);
      assertThat(command.flags()).doesNotContain("readonly", "write");
    } else if (command.flags().contains("readonly")) {
      assertThat(right).isEqualTo(UserRight.READ);
    } else if (hasKeys(command) || command == Command.EBB_HINTS) {
      assertThat(command.flags()).contains("write");
      assertThat(right).isEqualTo(UserRight.WRITE);
    } else {
      assertThat(right).isIn(UserRight.READ, UserRight.ADMIN);
    }
  }

  @ParameterizedTest
  @EnumSource(Command.class)
  void aUserWithoutRightsRunsNothingThatNeedsOne(Command command) {
    UserRight right = command.right(call(command, "k"));
    if (right == null) {
      return;
    }
    Set<UserRight> others = EnumSet.allOf(UserRight.class);
    others.remove(right);
    User user = user(others);
    assertThatThrownBy(() -> CommandRights.check(user, command, call(command, "k")))
        .isInstanceOf(CommandException.class)
        .extracting(refused -> ((CommandException) refused).reply())
        .asString()
        .startsWith("NOPERM this user has no permissions to run the '" + command.lower);
    assertThatCode(() ->
            CommandRights.check(user(EnumSet.allOf(UserRight.class)), command, call(command, "k")))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @EnumSource(Command.class)
  void everyKeyIsChecked(Command command) {
    if (!hasKeys(command)) {
      return;
    }
    User user = user(EnumSet.allOf(UserRight.class), "a:", "b:");
    assertThat(mayRun(user, call(command, "a:1"))).isTrue();
    assertThat(mayRun(user, call(command, "c:1"))).isFalse();
    if (hasManyKeys(command)) {
      assertThat(mayRun(user, call(command, "a:1", "b:2", "a:3"))).isTrue();
      assertThat(mayRun(user, call(command, "c:1", "b:2", "a:3"))).isFalse();
      assertThat(mayRun(user, call(command, "a:1", "c:2", "a:3"))).isFalse();
      assertThat(mayRun(user, call(command, "a:1", "b:2", "c:3"))).isFalse();
    }
  }

  @Test
  void theOldValueNeedsTheRightToRead() {
    User writer = user(EnumSet.of(UserRight.WRITE));
    assertThat(mayRun(writer, arguments("SET", "k", "v", "EX", "1"))).isTrue();
    assertThat(mayRun(writer, arguments("SET", "k", "v", "EX", "1", "get"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"EBB.MAP", "EBB.SEQ MODEL"})
  void onlyAUserOfAllKeysMapsThePool(String command) {
    List<byte[]> map = arguments(command.split(" "));
    Set<UserRight> both = EnumSet.of(UserRight.READ, UserRight.WRITE);
    assertThat(mayRun(user(both), map)).isTrue();
    assertThat(mayRun(user(both, "a:"), map)).isFalse();
    assertThat(mayRun(user(EnumSet.of(UserRight.READ)), map)).isFalse();
  }

  @Test
  void subcommandsHaveRightsOfTheirOwn() {
    User user = user(EnumSet.of(UserRight.READ));
    assertThat(mayRun(user, arguments("ACL", "whoami"))).isTrue();
    assertThat(mayRun(user, arguments("ACL", "list"))).isFalse();
    assertThat(mayRun(user, arguments("CLIENT", "setname", "x"))).isTrue();
    assertThat(mayRun(user, arguments("CLIENT", "list"))).isFalse();
  }

  @Test
  void prefixesDecideAsAWalkOverTheTextDoes() {
    Random random = new Random(11);
    for (int round = 0; round < 20_000; round++) {
      String[] prefixes = new String[1 + random.nextInt(4)];
      Arrays.setAll(prefixes, i -> word(random, 1));
      User user = user(EnumSet.allOf(UserRight.class), prefixes);
      String key = word(random, 0);
      boolean expected = false;
      for (String prefix : prefixes) {
        boolean same = key.length() >= prefix.length();
        for (int i = 0; same && i < prefix.length(); i++) {
          same = key.charAt(i) == prefix.charAt(i);
        }
        expected |= same;
      }
      assertThat(user.uses(Text.bytes(key)))
          .as("%s of %s", key, List.of(prefixes))
          .isEqualTo(expected);
      assertThat(mayRun(user, arguments("MGET", prefixes[0], key))).isEqualTo(expected);
    }
  }

  private static String word(Random random, int least) {
    StringBuilder word = new StringBuilder();
    for (int length = least + random.nextInt(4); length > 0; length--) {
      word.append("ab*?:".charAt(random.nextInt(5)));
    }
    return word.toString();
  }

  @Test
  void aUserWithEveryRightIsUnlimited() {
    assertThat(user(EnumSet.allOf(UserRight.class)).unlimited).isTrue();
    assertThat(user(EnumSet.allOf(UserRight.class), "a").unlimited).isFalse();
    assertThat(user(EnumSet.of(UserRight.READ)).unlimited).isFalse();
  }
}
