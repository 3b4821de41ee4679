package dev.ebb.host.runtime;

import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.ConfigOverride;
import dev.ebb.host.config.ConfigTree;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.swap.SwapCause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The active configuration, and the keys of it that can change while the process runs. A change is
 * checked as a whole, then takes effect as a whole or not at all.
 */
public final class RuntimeConfig {

  /** Where a value stands that an operator has changed. */
  public static final String ADMIN = "admin";

  private static final Logger LOG = LoggerFactory.getLogger(RuntimeConfig.class);

  private final Effects effects;
  private final Function<ConfigChange, List<String>> check;
  private final ConfigTree start;
  private ConfigTree file;
  private List<String> fileProblems = List.of();
  private List<String> afterRestart = List.of();
  private ConfigTree tree;
  private volatile EbbConfig config;
  private long version = 1;

  /**
   * The configuration at the start.
   *
   * @param config active
   * @param tree where it comes from
   * @param effects by full key, or by the name of a section with {@code .*}, what to do when it has
   *     changed, and why it has; may throw {@link UserError}
   * @param check finds mistakes of a change that only the plugins know
   */
  public RuntimeConfig(
      EbbConfig config,
      ConfigTree tree,
      Map<String, BiConsumer<EbbConfig, SwapCause>> effects,
      Function<ConfigChange, List<String>> check) {
    this.config = config;
    this.tree = tree;
    this.file = tree;
    this.start = tree;
    this.effects = new Effects(effects);
    this.check = check;
  }

  /**
   * A change of one value.
   *
   * @param key its full key
   * @param from the active value
   * @param to the value wanted
   */
  public record Change(String key, Object from, Object to) {}

  /**
   * What a change would do, or did.
   *
   * @param version of the configuration it refers to: the active one, or the new one
   * @param committed whether it took effect
   * @param changes the values that differ
   */
  public record Plan(long version, boolean committed, List<Change> changes) {}

  /** Another change came between: what the caller saw is out of date. */
  public static final class StaleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StaleException(long seen, long version) {
      super(
          "the version '%d' is out of date, '%d' is active; look at the configuration again"
              .formatted(seen, version),
          null,
          false,
          false);
    }
  }

  /**
   * Returns how often the configuration has been changed.
   *
   * @return 1 at the start
   */
  public synchronized long version() {
    return version;
  }

  /**
   * Returns the active configuration.
   *
   * @return typed
   */
  public EbbConfig config() {
    return config;
  }

  /**
   * Returns every active value.
   *
   * @return by key
   */
  public synchronized List<ConfigEntry> entries() {
    return tree.entries();
  }

  /**
   * Returns whether a key can change.
   *
   * @param key a full key
   * @return false if it needs a restart
   */
  public boolean changes(String key) {
    return effects.has(key);
  }

  /**
   * Says what a change would do.
   *
   * @param wanted values by full key, as {@link #commit} takes them
   * @return the changes, not made
   * @throws UserError with every mistake
   */
  public synchronized Plan plan(Map<String, @Nullable Object> wanted) {
    return new Plan(
        version, false, differences(validated(said(wanted, SwapCause.OPERATOR), given(wanted))));
  }

  /**
   * Changes values.
   *
   * @param seen the version that the caller has seen
   * @param wanted values by full key; a map for some values of a section, null for what the file
   *     says, or the default
   * @throws StaleException if another change came between; nothing is changed
   * @throws UserError with every mistake; nothing is changed
   */
  public synchronized Plan commit(long seen, Map<String, @Nullable Object> wanted) {
    if (seen != version) {
      throw new StaleException(seen, version);
    }
    return commit(wanted, SwapCause.OPERATOR);
  }

  /**
   * Changes values, whatever came between.
   *
   * @param wanted values by full key, as above
   * @param cause who or what asks for it; a policy's switch is remembered with it
   * @throws UserError with every mistake; nothing is changed
   */
  public synchronized Plan commit(Map<String, @Nullable Object> wanted, SwapCause cause) {
    return commit(said(wanted, cause), given(wanted), cause);
  }

  private Plan commit(List<ConfigOverride> said, Set<String> given, SwapCause cause) {
    LoadedConfig next = validated(said, given);
    List<Change> changes = differences(next);
    if (!changes.isEmpty()) {
      effects.apply(changes.stream().map(Change::key).toList(), next.config(), config, cause);
      tree = next.tree();
      config = next.config();
      version++;
      changes.forEach(change ->
          LOG.info(
              "configuration changed version={} key={} from={} to={} cause=\"{}\"",
              version,
              change.key(),
              change.from(),
              change.to(),
              cause));
    }
    return new Plan(version, true, changes);
  }

  /**
   * Reads the configuration file again and makes the changes in it. One with a mistake in it
   * changes nothing; what needs a restart is noted.
   */
  public synchronized void follow() {
    try {
      LoadedConfig fresh = file.reread();
      UserError.throwIfAny(fresh.problems());
      follow(fresh.tree());
      fileProblems = List.of();
    } catch (UserError mistakes) {
      fileProblems = mistakes.messages();
      fileProblems.forEach(
          problem -> LOG.error("configuration file not taken over reason=\"{}\"", problem));
    }
  }

  private void follow(ConfigTree fresh) {
    Map<String, Object> before = values(file.entries());
    Map<String, Object> now = values(fresh.entries());
    Set<String> fixed = new TreeSet<>();
    List<ConfigOverride> said =
        union(before, now).stream()
            .filter(key -> effects.has(key) && !Objects.equals(before.get(key), now.get(key)))
            .map(fresh::said)
            .toList();
    Map<String, Object> atStart = values(start.entries());
    for (String key : union(atStart, now)) {
      if (!effects.has(key) && !Objects.equals(atStart.get(key), now.get(key))) {
        fixed.add(key);
      }
    }
    if (!said.isEmpty()) {
      String name = String.valueOf(fresh.file().getFileName());
      Set<String> given = new TreeSet<>();
      said.stream().filter(each -> each.value() != null).forEach(each -> given.add(each.key()));
      commit(said, given, new SwapCause(SwapCause.Kind.CONFIG_FILE, name));
    }
    file = fresh;
    afterRestart = List.copyOf(fixed);
    if (!afterRestart.isEmpty()) {
      LOG.warn("configuration needs a restart keys={}", afterRestart);
    }
  }

  /**
   * What is wrong in the configuration file as it is now.
   *
   * @return one message each; empty if it is active
   */
  public synchronized List<String> fileProblems() {
    return fileProblems;
  }

  /**
   * What the configuration file says now and a restart would activate.
   *
   * @return full keys
   */
  public synchronized List<String> afterRestart() {
    return afterRestart;
  }

  private List<ConfigOverride> said(Map<String, @Nullable Object> wanted, SwapCause cause) {
    List<ConfigOverride> said = new ArrayList<>();
    new TreeMap<>(wanted)
        .forEach((key, value) ->
            said.addAll(
                value == null ? unset(key) : ConfigOverride.each(key, value, source(cause))));
    return said;
  }

  /** Returns the keys that a value is said of, not only taken back. */
  private static Set<String> given(Map<String, @Nullable Object> wanted) {
    Set<String> given = new TreeSet<>();
    wanted.forEach((key, value) -> {
      if (value != null) {
        ConfigOverride.each(key, value, "").forEach(each -> given.add(each.key()));
      }
    });
    return given;
  }

  /** What the file says of a key, or of all in a section, that was changed since. */
  private List<ConfigOverride> unset(String key) {
    List<String> changed = changed();
    List<ConfigOverride> said =
        changed.stream()
            .filter(each -> each.equals(key) || each.startsWith(key + "."))
            .map(file::said)
            .toList();
    if (said.isEmpty()) {
      throw new UserError(
          "'%s' is as the file or the default says; changed since the start: %s%s"
              .formatted(key, changed, Suggestions.hint(key, changed)));
    }
    return said;
  }

  /** Returns the keys of which something else is said than in the file. */
  private List<String> changed() {
    return union(values(tree.entries()), values(file.entries())).stream()
        .filter(key ->
            effects.has(key) && !Objects.equals(tree.said(key).value(), file.said(key).value()))
        .toList();
  }

  private LoadedConfig validated(List<ConfigOverride> said, Set<String> given) {
    List<String> problems = new ArrayList<>();
    said.stream()
        .map(ConfigOverride::key)
        .filter(key -> !effects.has(key))
        .forEach(key -> problems.add(fixed(key)));
    LoadedConfig next =
        tree.with(said.stream().filter(override -> effects.has(override.key())).toList());
    problems.addAll(next.problems());
    if (problems.isEmpty()) {
      problems.addAll(check.apply(new ConfigChange(config, next.config(), given)));
    }
    UserError.throwIfAny(problems);
    return next;
  }

  private static String source(SwapCause cause) {
    return cause.kind() == SwapCause.Kind.OPERATOR ? ADMIN : cause.toString();
  }

  private String fixed(String key) {
    if (effects.choosesPlugin(key)) {
      return "'%s' cannot change while Ebb runs: which plugin serves a name is decided when plugins are loaded; set it in the configuration file and start anew"
          .formatted(key);
    }
    boolean known = tree.entries().stream().anyMatch(entry -> entry.key().equals(key));
    return known
        ? "'%s' cannot change while Ebb runs: set it in the configuration file and start anew; keys that can: %s"
            .formatted(key, effects.keys())
        : "'%s' cannot change while Ebb runs; keys that can: %s%s"
            .formatted(key, effects.keys(), Suggestions.hint(key, effects.keys()));
  }

  private List<Change> differences(LoadedConfig next) {
    Map<String, Object> now = values(tree.entries());
    Map<String, Object> then = values(next.tree().entries());
    Set<String> keys = union(now, then);
    keys.removeIf(key -> !effects.has(key));
    List<Change> changes = new ArrayList<>();
    for (String key : keys) {
      Object from = now.getOrDefault(key, "");
      Object to = then.getOrDefault(key, "");
      if (!from.equals(to)) {
        changes.add(new Change(key, from, to));
      }
    }
    return changes;
  }

  private static Set<String> union(Map<String, Object> one, Map<String, Object> other) {
    Set<String> keys = new TreeSet<>(one.keySet());
    keys.addAll(other.keySet());
    return keys;
  }

  private static Map<String, Object> values(Collection<ConfigEntry> entries) {
    Map<String, Object> values = new TreeMap<>();
    entries.forEach(entry -> values.put(entry.key(), entry.value()));
    return values;
  }
}
