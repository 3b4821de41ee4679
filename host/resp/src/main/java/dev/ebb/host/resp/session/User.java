package dev.ebb.host.resp.session;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.login.PasswordHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A user of the RESP server, with the rights to commands and keys. */
public final class User {

  private static final byte[][] ALL_KEYS = {};

  public final String name;

  /** The tenant of the user's keys; null for that which each key names. */
  public final @Nullable String tenant;

  /** Whether the user may do everything, so that nothing has to be checked. */
  public final boolean unlimited;

  /** The hash of the password; null for the user of {@code ebb.server.password}. */
  final @Nullable PasswordHash hash;

  private final Set<UserRight> rights;

  /** The first bytes of the keys that the user can use; empty for all keys. */
  private final byte[][] prefixes;

  private User(
      String name,
      @Nullable String tenant,
      @Nullable PasswordHash hash,
      Set<UserRight> rights,
      byte[][] prefixes) {
    this.name = name;
    this.tenant = tenant;
    this.hash = hash;
    this.rights = rights;
    this.prefixes = prefixes;
    unlimited = prefixes.length == 0 && rights.size() == UserRight.values().length;
  }

  /** Returns the user of {@code ebb.server.password}, who may do everything. */
  static User standard() {
    return new User(UserConfig.DEFAULT, null, null, EnumSet.allOf(UserRight.class), ALL_KEYS);
  }

  public static User of(UserConfig config) {
    return new User(
        config.name(),
        config.tenant(),
        config.passwordHash(),
        EnumSet.copyOf(config.rights()),
        config.prefixes().stream()
            .map(prefix -> prefix.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new));
  }

  public boolean has(UserRight right) {
    return rights.contains(right);
  }

  public boolean usesAllKeys() {
    return prefixes.length == 0;
  }

  public boolean uses(byte[] key) {
    boolean found = prefixes.length == 0;
    for (int i = 0; !found && i < prefixes.length; i++) {
      byte[] prefix = prefixes[i];
      found =
          key.length >= prefix.length
              && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }
    return found;
  }

  public boolean uses(List<byte[]> keys) {
    boolean all = true;
    for (int i = 0; all && i < keys.size(); i++) {
      all = uses(keys.get(i));
    }
    return all;
  }

  /** Returns the user as ACL LIST shows it, without the hash. */
  String line(boolean enabled, boolean open) {
    StringBuilder line = new StringBuilder("user ").append(name);
    line.append(enabled ? " on" : " off").append(open ? " nopass" : "");
    if (prefixes.length == 0) {
      line.append(" ~*");
    }
    for (byte[] prefix : prefixes) {
      line.append(" ~").append(escaped(Text.of(prefix))).append('*');
    }
    line.append(" resetchannels");
    if (rights.size() == UserRight.values().length) {
      return line.append(" +@all").toString();
    }
    line.append(" -@all");
    rights.forEach(right -> line.append(" +@").append(right.name().toLowerCase(Locale.ROOT)));
    return line.toString();
  }

  /** Returns a prefix as the start of a pattern of Redis. */
  private static String escaped(String prefix) {
    return prefix.replaceAll("[\\\\*?\\[]", "\\\\$0");
  }

  @Override
  public String toString() {
    return name;
  }
}
