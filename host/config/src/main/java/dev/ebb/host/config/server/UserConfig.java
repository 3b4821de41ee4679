package dev.ebb.host.config.server;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.login.PasswordHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.server.users.<name>}.
 *
 * @param rights at least one
 * @param prefixes the first characters of the keys that the user can use; empty for all keys
 * @param tenant the tenant of these keys; null for that which each key names
 */
public record UserConfig(
    String name,
    PasswordHash passwordHash,
    Set<UserRight> rights,
    List<String> prefixes,
    @Nullable String tenant) {

  /** The user of {@code ebb.server.password}. */
  public static final String DEFAULT = "default";

  private static final String HASH = "password-hash";
  private static final String RIGHTS = "rights";
  private static final String PREFIXES = "prefixes";
  private static final String TENANT = "tenant";
  private static final List<String> KEYS = List.of(HASH, RIGHTS, PREFIXES, TENANT);

  /** The path of all users, of one, or of a hash; names with dots are in quotes. */
  private static final Pattern HASH_PATH =
      Pattern.compile("ebb\\.server\\.users(\\.(\"[^\"]*\"|[^.\"]+)(\\." + HASH + ")?)?");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final int LONGEST_PREFIX = 1_024;
  private static final int LONGEST_TENANT = 64;

  public UserConfig {
    rights = Set.copyOf(rights);
    prefixes = List.copyOf(prefixes);
  }

  static List<UserConfig> read(ConfigReader reader) {
    List<UserConfig> users = new ArrayList<>();
    reader
        .sections(ServerConfig.USERS)
        .forEach((name, user) -> {
          UserConfig read = reader.read(user, setting -> read(name, setting, reader));
          if (read != null) {
            rejectOverlap(read, users, user, reader);
            users.add(read);
          }
        });
    return users;
  }

  /** Returns whether a path is that of a hash, or of a section with one. */
  public static boolean holdsHash(String path) {
    return HASH_PATH.matcher(path).matches();
  }

  private static @Nullable UserConfig read(String name, Setting user, ConfigReader reader) {
    if (!NAME.matcher(name).matches() || name.equals(DEFAULT)) {
      throw user.wrong(
          "has the name '%s', but must have one of 1 to 64 letters, digits, dots, dashes and underscores other than '%s', the user of %s"
              .formatted(name, DEFAULT, ServerConfig.LISTEN.secret()));
    }
    reader.refuseOthers(user, KEYS, UserConfig::quotes);
    // Each is read alone, so that one mistake does not hide the others.
    PasswordHash hash =
        reader.read(user, each -> hash(needed(each, HASH, "made by 'ebb users hash'")));
    Set<UserRight> rights =
        reader.read(user, each -> rights(needed(each, RIGHTS, "such as [read, write]")));
    Setting prefixes = user.inner(PREFIXES);
    List<String> read = prefixes == null ? List.of() : reader.read(prefixes, UserConfig::prefixes);
    Setting tenant = user.inner(TENANT);
    String tenantName =
        tenant == null ? null : reader.read(tenant, each -> tenant(each, prefixes != null));
    return hash == null || rights == null || read == null
        ? null
        : new UserConfig(name, hash, rights, read, tenantName);
  }

  /** Returns a hint for a section in a user, which a name with dots makes. */
  private static String quotes(ConfigValue inner) {
    return inner instanceof ConfigObject
        ? "; write a user's name with dots in quotes, such as users.\"a.b\""
        : "";
  }

  private static Setting needed(Setting user, String key, String example) {
    Setting value = user.inner(key);
    if (value == null) {
      throw user.wrong("needs %s, %s".formatted(key, example));
    }
    return value;
  }

  private static PasswordHash hash(Setting setting) {
    return PasswordHash.parse(setting.string())
        .orElseThrow(() ->
            setting.wrong(
                "must be a hash %s; 'ebb users hash' makes one".formatted(PasswordHash.FORMAT)));
  }

  private static Set<UserRight> rights(Setting setting) {
    Set<UserRight> rights = EnumSet.noneOf(UserRight.class);
    for (Setting each : setting.list("rights, such as [read, write]")) {
      if (!rights.add(each.choice(UserRight.class))) {
        throw each.wrong("is given twice; remove one");
      }
    }
    if (rights.isEmpty()) {
      throw setting.wrong("must contain read, write or admin");
    }
    return rights;
  }

  private static List<String> prefixes(Setting setting) {
    Set<String> prefixes = new LinkedHashSet<>();
    for (Setting each : setting.list("prefixes of keys, such as [\"tenant-a:\"]")) {
      String prefix = each.string();
      int bytes = prefix.getBytes(StandardCharsets.UTF_8).length;
      if (bytes == 0 || bytes > LONGEST_PREFIX || prefix.endsWith("*")) {
        throw each.wrong(
            "must be the first characters of keys, 1 to %d bytes without '*' at the end, such as \"tenant-a:\""
                .formatted(LONGEST_PREFIX));
      }
      if (!prefixes.add(prefix)) {
        throw each.wrong("is given twice; remove one");
      }
    }
    if (prefixes.isEmpty()) {
      throw setting.wrong("must contain a prefix, such as \"tenant-a:\"; remove it for all keys");
    }
    return List.copyOf(prefixes);
  }

  private static String tenant(Setting setting, boolean hasPrefixes) {
    if (!hasPrefixes) {
      throw setting.wrong("needs %s: the keys of this tenant".formatted(PREFIXES));
    }
    String tenant = setting.string();
    int bytes = tenant.getBytes(StandardCharsets.UTF_8).length;
    if (tenant.isBlank() || bytes > LONGEST_TENANT) {
      throw setting.wrong("must be a name of 1 to %d bytes".formatted(LONGEST_TENANT));
    }
    return tenant;
  }

  /** Reports a key that would belong to two tenants. */
  private static void rejectOverlap(
      UserConfig user, List<UserConfig> others, Setting setting, ConfigReader reader) {
    for (UserConfig other : others) {
      if (user.tenant == null || other.tenant == null || user.tenant.equals(other.tenant)) {
        continue;
      }
      for (String prefix : user.prefixes) {
        for (String otherPrefix : other.prefixes) {
          if (prefix.startsWith(otherPrefix) || otherPrefix.startsWith(prefix)) {
            reader.problem(
                setting.problem(
                    "has the prefix '%s' and the tenant '%s', but the user '%s' has the prefix '%s' and the tenant '%s'; a key must belong to one tenant"
                        .formatted(prefix, user.tenant, other.name, otherPrefix, other.tenant)));
          }
        }
      }
    }
  }
}
