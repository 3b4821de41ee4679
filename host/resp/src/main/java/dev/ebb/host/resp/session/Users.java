package dev.ebb.host.resp.session;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.login.FailedLogins;
import dev.ebb.host.login.FailedLogins.Result;
import dev.ebb.host.login.PasswordHash;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users of the RESP server, and their logins. Without any user in the configuration, there is
 * only {@code default}, whose password is {@code ebb.server.password}. A hash is checked on a
 * thread of its own, because that takes a part of a second; the last right password of a user is
 * then recognized by a fast digest.
 */
public final class Users implements AutoCloseable {

  /** How many logins wait for the check of their hash. */
  public static final int MOST_WAITING = 64;

  /** A login: the user, or why it is refused. */
  public record Login(@Nullable User user, @Nullable String refusal) {}

  /** A name with the digest of a password. */
  private record Attempt(String name, String digest) {}

  private static final Logger LOG = LoggerFactory.getLogger(Users.class);

  private static final Login WRONG =
      new Login(null, "WRONGPASS invalid username-password pair or user is disabled.");
  private static final Login LIMITED = new Login(null, "ERR " + FailedLogins.TOO_MANY);
  private static final Login BUSY =
      new Login(null, "ERR too many logins are being checked; try again in a second");

  private final User standard = User.standard();

  /** The password of {@code default}; null for none. */
  private final byte @Nullable [] password;

  private final Map<String, User> users = new TreeMap<>();

  /** A digest of the last right password of each user, with {@link #salt}. */
  private final Map<User, byte[]> known = new ConcurrentHashMap<>();

  /** The checks that run or wait. */
  private final Map<Attempt, CompletableFuture<Boolean>> running = new ConcurrentHashMap<>();

  private final byte[] salt = new byte[32];
  private final FailedLogins failures = new FailedLogins("resp");
  private final ThreadPoolExecutor checks;

  /** The hash that is checked for unknown names, so that they take as long as known ones. */
  private final PasswordHash unknown;

  public Users(@Nullable String password, List<UserConfig> configured) {
    this.password = password == null ? null : password.getBytes(StandardCharsets.UTF_8);
    configured.forEach(each -> users.put(each.name(), User.of(each)));
    unknown = PasswordHash.unknown(configured.stream().map(UserConfig::passwordHash).toList());
    new SecureRandom().nextBytes(salt);
    checks =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            task -> Thread.ofPlatform().name("ebb-logins").daemon().unstarted(task));
    checks.allowCoreThreadTimeOut(true);
  }

  /** Returns the user of clients that have not logged in; null if they must. */
  public @Nullable User withoutLogin() {
    return hasOpenDefault() ? standard : null;
  }

  /** Returns whether {@code default} needs no password. */
  public boolean hasOpenDefault() {
    return password == null && users.isEmpty();
  }

  public List<String> names() {
    Set<String> names = new TreeSet<>(users.keySet());
    names.add(standard.name);
    return List.copyOf(names);
  }

  /** Returns a line for each user, sorted by name, as ACL LIST shows them. */
  public List<String> lines() {
    Map<String, String> lines = new TreeMap<>();
    users.forEach((name, user) -> lines.put(name, user.line(true, false)));
    lines.put(standard.name, standard.line(password != null || users.isEmpty(), hasOpenDefault()));
    return List.copyOf(lines.values());
  }

  public long failedLogins() {
    return failures.count();
  }

  /** Checks a login of a client at an address; the result is later if a hash must be checked. */
  public CompletionStage<Login> login(String host, byte[] name, byte[] given) {
    if (MessageDigest.isEqual(Text.bytes(UserConfig.DEFAULT), name)) {
      if (hasOpenDefault()) {
        return done(new Login(standard, null));
      }
      // Takes as long if there is no password.
      boolean right = MessageDigest.isEqual(password == null ? salt : password, given);
      return done(result(host, right && password != null ? standard : null, name, given));
    }
    User user = users.get(Text.of(name));
    byte[] digest = digest(given);
    byte[] last = user == null ? null : known.get(user);
    if (last != null && MessageDigest.isEqual(last, digest)) {
      return done(result(host, user, name, given));
    }
    Optional<Result> early = failures.unchecked(host, name, given);
    if (early.isPresent()) {
      return done(early.get() == Result.LIMITED ? LIMITED : WRONG);
    }
    try {
      // Connections that log in with one password at the same time share one check.
      Attempt attempt = new Attempt(Text.of(name), HexFormat.of().formatHex(digest));
      return running
          .computeIfAbsent(
              attempt,
              of -> CompletableFuture.supplyAsync(() -> isRight(of, user, given, digest), checks))
          .thenApply(right -> result(host, right ? user : null, name, given))
          .exceptionally(failure -> {
            LOG.error("a login could not be checked", failure);
            return BUSY;
          });
    } catch (RejectedExecutionException full) {
      return done(BUSY);
    }
  }

  private static CompletionStage<Login> done(Login login) {
    return CompletableFuture.completedStage(login);
  }

  private boolean isRight(Attempt attempt, @Nullable User user, byte[] given, byte[] digest) {
    try {
      PasswordHash hash = user == null || user.hash == null ? unknown : user.hash;
      boolean right = hash.matches(given) && user != null;
      if (user != null && right) {
        known.put(user, digest);
      }
      return right;
    } finally {
      running.remove(attempt);
    }
  }

  private Login result(String host, @Nullable User right, byte[] name, byte[] given) {
    return switch (failures.check(host, right != null, Text.of(name), name, given)) {
      case ACCEPTED -> new Login(right, null);
      case WRONG -> WRONG;
      case LIMITED -> LIMITED;
    };
  }

  private byte[] digest(byte[] given) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(salt);
      return digest.digest(given);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Java lacks SHA-256", impossible);
    }
  }

  @Override
  public void close() {
    checks.shutdownNow();
  }
}
