package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.login.PasswordHash;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UserConfigTest {

  private static final String HASH = PasswordHash.of("secret".toCharArray(), 100_000).encoded();

  @TempDir private Path home;

  private static String user(String name, String rest) {
    return "ebb.server.users.%s { password-hash = \"%s\", %s }\n".formatted(name, HASH, rest);
  }

  @Test
  void usersAreReadSortedByName() {
    List<UserConfig> users =
        Configs.of(
                home,
                user("zoe", "rights = [read]")
                    + user(
                        "\"ann.b\"",
                        "rights = [write, read], prefixes = [\"a:\", \"b:\"], tenant = a"))
            .orThrow()
            .server()
            .users();

    assertThat(users).extracting(UserConfig::name).containsExactly("ann.b", "zoe");
    assertThat(users.getFirst().rights())
        .containsExactlyInAnyOrder(UserRight.READ, UserRight.WRITE);
    assertThat(users.getFirst().prefixes()).containsExactly("a:", "b:");
    assertThat(users.getFirst().tenant()).isEqualTo("a");
    assertThat(users.getLast().prefixes()).isEmpty();
    assertThat(users.getLast().tenant()).isNull();
    assertThat(users.getFirst().passwordHash().encoded()).isEqualTo(HASH);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "rights = [reed]|'reed'|[read, write, admin]",
        "rights = [read, read]|'read'|given twice",
        "rights = []|rights|read, write or admin",
        "rights = read|'read'|must be a list",
        "prefixes = [\"a:\"]|rights|needs rights",
        "rights = [read], prefixes = [\"a:\", \"a:\"]|'a:'|given twice",
        "rights = [read], prefixes = [\"a:*\"]|'a:*'|without '*'",
        "rights = [read], prefixes = [\"\"]|prefixes|1 to 1024 bytes",
        "rights = [read], prefixes = []|prefixes|remove it for all keys",
        "rights = [read], tenant = a|'a'|needs prefixes",
        "rights = [read], prefixes = [\"a:\"], tenant = \"\"|tenant|1 to 64 bytes",
        "rights = [read], prefix = [\"a:\"]|ebb.server.users.ann.prefix|prefixes",
      })
  void aWrongUserIsReported(String rest, String value, String remedy) {
    List<String> problems = Configs.of(home, user("ann", rest)).problems();

    assertThat(problems).hasSize(1);
    assertThat(problems.getFirst())
        .contains("ebb.conf:1", "ebb.server.users.ann", value, remedy)
        .doesNotContain(HASH);
  }

  @ParameterizedTest
  @CsvSource({"default", "'\"a b\"'", "'\"\"'"})
  void aWrongNameIsReported(String name) {
    assertThat(Configs.of(home, user(name, "rights = [read]")).problems())
        .singleElement()
        .asString()
        .contains("'" + name.replace("\"", "") + "'", "1 to 64", "'default'")
        .doesNotContain(HASH);
  }

  @Test
  void aWrongHashIsReportedButNotShown() {
    String hash = HASH.substring(0, HASH.length() - 2);
    assertThat(
            Configs.of(
                    home,
                    "ebb.server.users.ann { password-hash = \"%s\", rights = [read] }"
                        .formatted(hash))
                .problems())
        .singleElement()
        .asString()
        .contains("ebb.server.users.ann.password-hash", "(value not shown)", "ebb users hash")
        .doesNotContain(hash);
    for (String text : List.of("ann = \"" + HASH + "\"", "ann.password_hash = \"" + HASH + "\"")) {
      assertThat(Configs.of(home, "ebb.server.users." + text).problems())
          .isNotEmpty()
          .noneMatch(problem -> problem.contains(HASH));
    }
    assertThat(Configs.of(home, "ebb.server.users = \"" + HASH + "\"").problems())
        .isNotEmpty()
        .noneMatch(problem -> problem.contains(HASH));
  }

  @Test
  void aKeyBelongsToOneTenant() {
    String ann = user("ann", "rights = [read], prefixes = [\"a:\"], tenant = a");

    assertThat(
            Configs.of(
                    home, ann + user("ben", "rights = [read], prefixes = [\"a:b:\"], tenant = b"))
                .problems())
        .singleElement()
        .asString()
        .contains("ebb.conf:2", "ebb.server.users.ben", "'a:b:'", "'b'", "'ann'", "'a:'", "'a'");
    assertThat(
            Configs.of(
                    home, ann + user("ben", "rights = [read], prefixes = [\"a:b:\"], tenant = a"))
                .problems())
        .isEmpty();
    assertThat(
            Configs.of(home, ann + user("ben", "rights = [read], prefixes = [\"a:b:\"]"))
                .problems())
        .isEmpty();
  }

  @Test
  void allMistakesOfAUserAreReported() {
    assertThat(
            Configs.of(
                    home,
                    "ebb.server.users.\"team.a\" { password-hash = \"pbkdf2-sha256:1:x:y\", "
                        + "rights = [reed], prefixes = [\"a:*\"], more = 1 }")
                .problems())
        .hasSize(4)
        .allSatisfy(problem -> assertThat(problem).contains("ebb.server.users.\"team.a\""))
        .anySatisfy(problem -> assertThat(problem).contains("100000 to 10000000 iterations"))
        .anySatisfy(problem -> assertThat(problem).contains("'reed'", "read, write, admin"))
        .anySatisfy(problem -> assertThat(problem).contains("'a:*'"))
        .anySatisfy(problem -> assertThat(problem).contains("more", "allowed"));
  }

  @Test
  void aNameWithDotsWithoutQuotesIsExplained() {
    assertThat(Configs.of(home, user("team.a", "rights = [read]")).problems())
        .anySatisfy(
            problem -> assertThat(problem).contains("'ebb.server.users.team.a'", "in quotes"));
  }

  @Test
  void theHintForOtherMachinesNamesUsers() {
    ServerConfig server = Configs.of(home, "ebb.server.bind = \"0.0.0.0\"").orThrow().server();
    assertThatThrownBy(server::address)
        .hasMessageContainingAll("'0.0.0.0'", "ebb.server.password or ebb.server.users");
  }

  @Test
  void usersAllowOtherMachinesToConnect() {
    assertThat(
            Configs.of(home, "ebb.server.bind = \"0.0.0.0\"\n" + user("ann", "rights = [read]"))
                .orThrow()
                .server()
                .address()
                .getPort())
        .isEqualTo(6_380);
  }

  @Test
  void hashesAreNotShown() {
    List<ConfigEntry> entries = Configs.of(home, user("ann", "rights = [read]")).tree().entries();

    assertThat(entries)
        .anySatisfy(entry -> {
          assertThat(entry.key()).isEqualTo("ebb.server.users.ann.password-hash");
          assertThat(entry.value()).isEqualTo("(set)");
        })
        .noneMatch(entry -> String.valueOf(entry.value()).contains(HASH));
  }
}
