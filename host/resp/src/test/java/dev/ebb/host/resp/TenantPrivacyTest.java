package dev.ebb.host.resp;

import static dev.ebb.host.config.server.UserRight.READ;
import static dev.ebb.host.config.server.UserRight.WRITE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.testing.EntryCounter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A command with a key of another tenant takes the same path through the program whether the key is
 * cached, on another node or the disk, or unknown. So its time shows nothing either.
 */
@Timeout(120)
class TenantPrivacyTest {

  /** Every command with keys; {@code KEY} is the other tenant's. */
  private static final List<String> COMMANDS =
      List.of(
          "EXISTS KEY",
          "EXISTS b:own KEY",
          "GET KEY",
          "MGET KEY",
          "MGET b:own KEY b:own",
          "GETRANGE KEY 0 3",
          "STRLEN KEY",
          "TTL KEY",
          "PTTL KEY",
          "TYPE KEY",
          "SET KEY value",
          "SET KEY value NX GET",
          "SETEX KEY 10 value",
          "EXPIRE KEY 100",
          "DEL KEY",
          "UNLINK KEY",
          "EBB.MATCH KEY",
          "EBB.MATCH b:own KEY",
          "EBB.MGETRANGE 0 3 KEY",
          "EBB.REQUEST BEGIN r KEYS KEY",
          "EBB.EXPLAIN KEY",
          "EBB.PIN KEY",
          "EBB.UNPIN KEY",
          "EBB.ROUTE KEY",
          "EBB.LEASE KEY",
          "EBB.RELEASE KEY",
          "EBB.PLACE KEYS KEY 4",
          "EBB.COMMIT KEY",
          "EBB.ABORT KEY");

  /** The keys have one length: cached, on another node, unknown. */
  private static final List<String> KEYS = List.of("ann:cached", "ann:remote", "ann:absent");

  /** Sends all commands as a user, in a class loader that counts. */
  public static final class Commands implements Callable<Map<String, List<String>>> {

    private static final int RUNS = 5;

    private static final List<UserConfig> USERS = List.of(user("ben", "b:"), user("boss"));

    /** How often they are entered depends on the pieces in which the network delivers bytes. */
    private static final String TRANSPORT =
        ".*\\.(MemoryBudget|ClientMemory|Connection|ReceiveBuffers|Replies|RespParser)";

    private final String user;
    private final List<String> commands;

    public Commands(String user, List<String> commands) {
      this.user = user;
      this.commands = commands;
    }

    /** Returns for each command with each of the keys the reply, the path, and what has changed. */
    @Override
    public Map<String, List<String>> call() throws Exception {
      Map<String, List<String>> seen = new LinkedHashMap<>();
      try (OtherNode other = new OtherNode(8 << 20, 1, 0);
          RunningServer server = RunningServer.withUsers(8 << 20, null, USERS, other);
          RawClient ann = new RawClient(server.port());
          RawClient client = new RawClient(server.port())) {
        ann.call("AUTH", "boss", Accounts.PASSWORD);
        ann.call("SET", "ann:cached", "value");
        ann.call("SET", "b:own", "value");
        other.set("ann:remote", "value");
        client.call("AUTH", user, Accounts.PASSWORD);
        for (String command : commands) {
          List<String> each = new ArrayList<>();
          for (String key : KEYS) {
            String[] words = command.replaceAll("\\bKEY\\b", key).split(" ");
            each.add(run(server, other, client, words));
          }
          seen.put(command, each);
        }
      }
      return seen;
    }

    private static String run(
        RunningServer server, OtherNode other, RawClient client, String... words) throws Exception {
      String reply = client.call(words);
      String before = state(server, other);
      Map<String, Integer> path = new TreeMap<>();
      for (int i = 0; i < RUNS; i++) {
        Map<String, Integer> entries = Map.of();
        // Another thread may have entered the class first.
        while (!entries.containsKey(Command.class.getName())) {
          EntryCounter.begin(Connection.class.getName());
          client.call(words);
          entries = EntryCounter.end();
        }
        // The same thread checks connections now and then.
        path = i == 0 ? entries : least(path, entries);
      }
      String after = state(server, other);
      path.replaceAll((name, times) -> name.matches(TRANSPORT) ? 1 : times);
      return "reply %s, changed %s, path %s".formatted(reply, !before.equals(after), path);
    }

    private static UserConfig user(String name, String... prefixes) {
      return new UserConfig(name, Accounts.HASH, EnumSet.of(READ, WRITE), List.of(prefixes), null);
    }

    private static Map<String, Integer> least(
        Map<String, Integer> one, Map<String, Integer> other) {
      return one.entrySet().stream()
          .filter(each -> other.containsKey(each.getKey()))
          .collect(
              Collectors.toMap(
                  Map.Entry::getKey,
                  each -> Math.min(each.getValue(), other.get(each.getKey())),
                  (a, _) -> a,
                  TreeMap::new));
    }

    /** Hits, misses, leases, questions to other nodes, and uses that the policy has seen. */
    private static String state(RunningServer server, OtherNode other) {
      var stats = server.store().stats();
      return "%d %d %s %d %d %s"
          .formatted(
              stats.hits(),
              stats.misses(),
              stats.leases(),
              stats.stored(),
              other.questions.get(),
              server.store().find("ann:cached".getBytes(US_ASCII)).map(EntryView::accesses));
    }
  }

  @Test
  void aKeyOfAnotherTenantTakesThePathOfAnUnknownOne() throws Exception {
    run("ben", COMMANDS)
        .forEach((command, each) -> {
          assertThat(each).as(command).allMatch(seen -> seen.startsWith("reply -NOPERM"));
          assertThat(each).as(command).allMatch(seen -> seen.contains("changed false"));
          assertThat(each).as(command).allMatch(seen -> seen.equals(each.getFirst()));
          assertThat(each.getFirst())
              .as(command)
              .contains("host.resp.CommandRights=")
              .doesNotContain("host.store.", "host.cache.");
        });
  }

  @Test
  void usersWithoutPrefixesShareWhatIsCached() throws Exception {
    Map<String, List<String>> shared = run("boss", List.of("GET KEY", "EXISTS KEY"));
    List<String> get = requireNonNull(shared.get("GET KEY"));
    assertThat(get.get(0)).startsWith("reply $5").contains("host.store.", "changed true");
    assertThat(get.get(2)).startsWith("reply $-1").isNotEqualTo(get.get(0));
    assertThat(requireNonNull(shared.get("EXISTS KEY")).get(1)).startsWith("reply :1");
  }

  @Test
  void eachCommandWithKeysIsTried() {
    List<String> tried = COMMANDS.stream().map(command -> command.split(" ")[0]).toList();
    assertThat(
            Arrays.stream(Command.values())
                .filter(command -> command.keys != Command.Keys.NONE)
                .map(command -> command.lower.toUpperCase(Locale.ROOT)))
        .allMatch(tried::contains);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, List<String>> run(String user, List<String> of) throws Exception {
    Class<?> commands = new EntryCounter().loadClass(Commands.class.getName());
    return ((Callable<Map<String, List<String>>>)
            commands.getConstructor(String.class, List.class).newInstance(user, of))
        .call();
  }
}
